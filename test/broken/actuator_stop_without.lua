-- expect 2: stop_k and stop_d belong to stops, which are missing
actuator { name = "m", joint = "j", effort = 1, stop_k = 5 }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
