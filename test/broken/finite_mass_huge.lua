-- expect 2: mass = 1e+150 is larger than
body { name = "a", mass = 1e150, inertia = {1, 1, 1} }
