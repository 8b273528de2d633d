-- expect 3: body 'top': velocity must be a list of 3 numbers, not 0
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, velocity = {} }
