-- expect 3: position must be a list of 3 numbers, not a number
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = 1 }
