-- expect 3: joint 'pivot': no key 'bodys' in a spherical joint; did you mean 'bodies'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "spherical", at = {0, 0, 0}, bodys = {0, 0, 1} }
