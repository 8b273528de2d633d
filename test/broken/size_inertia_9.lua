-- expect 2: inertia must be 3 principal moments
body { name = "top", mass = 1, inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1} }
