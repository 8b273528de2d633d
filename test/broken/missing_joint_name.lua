-- expect 3: name is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
