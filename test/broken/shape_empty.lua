-- expect 2: shape needs one of box, sphere
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {} }
