-- expect 2: inertia is not symmetric
body { name = "a", mass = 1, inertia = {{1, 0.1, 0}, {0, 1, 0}, {0, 0, 1}} }
