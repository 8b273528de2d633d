-- expect 3: length is 0; it must be above 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "distance", bodies = {"ground", "a"}, at_b = {1, 0, 0}, length = 0 }
