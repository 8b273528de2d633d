-- expect 3: lock must be a list of some of x, y, z, rx, ry, rz
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "generic", bodies = {"ground", "a"}, at = {0, 0, 0}, lock = {} }
