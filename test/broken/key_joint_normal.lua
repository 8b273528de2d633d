-- expect 3: joint 'pivot': no key 'nomal' in a planar joint; did you mean 'normal'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "planar", at = {0, 0, 0}, nomal = {0, 0, 1} }
