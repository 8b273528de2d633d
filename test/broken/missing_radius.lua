-- expect 3: radius is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "rolling", bodies = {"ground", "a"}, axis = {0, 1, 0} }
