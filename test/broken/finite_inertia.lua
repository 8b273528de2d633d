-- expect 2: inertia[3] is not a number
body { name = "a", mass = 1, inertia = {1, 1, 0/0} }
