-- expect 3: axis_b is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "universal", bodies = {"ground", "a"}, at = {0, 0, 0}, axis_a = {1, 0, 0} }
