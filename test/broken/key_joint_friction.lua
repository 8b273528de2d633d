-- expect 3: joint 'pivot': no key 'fricton' in a prismatic joint; did you mean 'friction'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "prismatic", axis = {0, 0, 1}, fricton = {0, 0, 1} }
