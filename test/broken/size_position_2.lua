-- expect 3: body 'top': position must be a list of 3 numbers, not 2
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {0, 0} }
