-- expect 3: rotation must be a list of 4 numbers, not 3
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {1, 0, 0} }
