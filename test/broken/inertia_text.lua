-- expect 2: inertia[2] must be a number, not a string
body { name = "a", mass = 1, inertia = {1, "1", 1} }
