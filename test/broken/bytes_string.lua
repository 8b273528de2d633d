-- expect 2: may only have letters
body { name = "ÿþ", mass = 1, inertia = {1, 1, 1} }
