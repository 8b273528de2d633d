-- expect 3: joint 'pivot': no key 'lenght' in a distance joint; did you mean 'length'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "distance", lenght = {0, 0, 1} }
