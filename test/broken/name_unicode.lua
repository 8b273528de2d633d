-- expect 2: may only have letters
body { name = "Körper", mass = 1, inertia = {1, 1, 1} }
