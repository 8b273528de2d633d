-- expect 2: name must be a string, not a number
body { name = 5, mass = 1, inertia = {1, 1, 1} }
