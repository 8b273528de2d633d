-- expect 3: position[2] is not a number
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {0, 0/0, 0} }
