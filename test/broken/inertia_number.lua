-- expect 2: inertia must be 3 principal moments
body { name = "a", mass = 1, inertia = 5 }
