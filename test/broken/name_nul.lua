-- expect 2: may have letters
body { name = "a\0b", mass = 1, inertia = {1, 1, 1} }
