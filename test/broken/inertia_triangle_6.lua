-- expect 2: no body has
body { name = "a", mass = 1, inertia = {2, 2, 2, 1.5, 0, 0} }
