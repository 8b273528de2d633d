-- expect 3: at is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, axis = {0, 0, 1} }
