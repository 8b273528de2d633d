-- expect 2: may only have letters (a-z, A-Z), digits, '_' and '-'
body { name = "Körper", mass = 1, inertia = {1, 1, 1} }
