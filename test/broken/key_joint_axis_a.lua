-- expect 3: joint 'pivot': no key 'axis_1' in a universal joint; did you mean 'axis_a'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "universal", at = {0, 0, 0}, axis_b = {1, 0, 0}, axis_1 = {0, 0, 1} }
