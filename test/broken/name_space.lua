-- expect 2: may have letters, digits, '_' and '-' only
body { name = "my body", mass = 1, inertia = {1, 1, 1} }
