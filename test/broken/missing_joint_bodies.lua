-- expect 3: bodies is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "revolute", at = {0, 0, 0}, axis = {0, 0, 1} }
