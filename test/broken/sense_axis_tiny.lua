-- expect 3: axis_a has length 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "universal", bodies = {"ground", "a"}, at = {0, 0, 0}, axis_a = {1e-200, 0, 0}, axis_b = {0, 1, 0} }
