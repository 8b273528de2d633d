-- expect 3: a value without a key
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { "pivot", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0} }
