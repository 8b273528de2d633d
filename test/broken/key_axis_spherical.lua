-- expect 3: no key 'axis' in a spherical joint; it belongs to: revolute
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
