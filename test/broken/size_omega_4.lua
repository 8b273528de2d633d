-- expect 3: body 'top': omega must be a list of 3 numbers, not 4
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 0, 0} }
