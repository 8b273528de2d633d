-- expect 2: may have letters
body { name = "a,b", mass = 1, inertia = {1, 1, 1} }
