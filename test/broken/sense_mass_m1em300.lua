-- expect 2: mass is -1e-300; it must be above 0
body { name = "a", mass = -1e-300, inertia = {1, 1, 1} }
