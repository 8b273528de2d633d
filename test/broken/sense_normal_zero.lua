-- expect 3: normal has length 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "planar", bodies = {"ground", "a"}, at = {0, 0, 0}, normal = {0, 0, 0} }
