-- expect 3: axis and frame say the same
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "generic", bodies = {"ground", "a"}, at = {0, 0, 0}, lock = {"x"}, axis = {0, 0, 1}, frame = {1, 0, 0, 0} }
