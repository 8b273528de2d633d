-- expect 2: a body called 'ground' always exists
body { name = "ground", mass = 1, inertia = {1, 1, 1} }
