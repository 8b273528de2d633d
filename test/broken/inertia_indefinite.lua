-- expect 2: all must be above 0
body { name = "a", mass = 1, inertia = {1, 1, 1, 2, 0, 0} }
