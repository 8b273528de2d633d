-- expect 3: joint 'pivot': no key 'raduis' in a rolling joint; did you mean 'radius'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "rolling", axis = {0, 1, 0}, raduis = {0, 0, 1} }
