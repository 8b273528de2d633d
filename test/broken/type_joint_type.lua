-- expect 3: type must be a string, not a number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = 3, bodies = {"ground", "a"}, at = {0, 0, 0} }
