-- expect 2: mass must be a number, not a string
body { name = "a", mass = "heavy", inertia = {1, 1, 1} }
