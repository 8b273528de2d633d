-- expect 2: mass is not a number
body { name = "a", mass = 0/0, inertia = {1, 1, 1} }
