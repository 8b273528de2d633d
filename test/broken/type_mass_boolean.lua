-- expect 2: mass must be a number, not a boolean
body { name = "a", mass = true, inertia = {1, 1, 1} }
