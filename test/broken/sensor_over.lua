-- expect 2: sensor 'e': over_time cannot be 'most'
sensor { name = "e", type = "angle", joint = "j", over_time = "most" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
