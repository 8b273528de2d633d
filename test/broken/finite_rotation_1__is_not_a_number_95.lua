-- expect 3: rotation[1] is not a number
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {0/0, 0, 0, 1} }
