-- expect 3: no type 'screw'; there are: spherical, revolute
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "screw", bodies = {"ground", "a"}, at = {0, 0, 0} }
