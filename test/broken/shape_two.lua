-- expect 2: shape is a box and a sphere; give a list of two shapes
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {box = {1, 1, 1}, sphere = 1} }
