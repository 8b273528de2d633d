-- expect 2: mass is 0; it must be above 0
body { name = "a", mass = 0, inertia = {1, 1, 1} }
