-- expect 3: position[3] must be a number, not a string
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {0, 0, "0"} }
