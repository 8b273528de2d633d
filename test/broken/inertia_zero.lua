-- expect 2: the principal moments 0, 1, 1: all must be above 0
body { name = "rod", mass = 1, inertia = {0, 1, 1} }
