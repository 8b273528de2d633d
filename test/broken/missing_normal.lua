-- expect 3: normal is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "planar", bodies = {"ground", "a"}, at = {0, 0, 0} }
