-- expect 2: mass is -1; it must be above 0
body { name = "a", mass = -1, inertia = {1, 1, 1} }
