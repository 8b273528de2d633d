-- expect 2: may only have letters
body { name = "a\0b", mass = 1, inertia = {1, 1, 1} }
