-- expect 3: joint 'pivot': no key 'axsi' in a revolute joint; did you mean 'axis'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "revolute", at = {0, 0, 0}, axsi = {0, 0, 1} }
