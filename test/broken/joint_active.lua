-- expect 2: joint 'j': active must be true or false, not a number
joint { name = "j", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0}, active = 0 }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
