-- expect 2: actuator 'm': stops need a stop_k above 0
actuator { name = "m", joint = "j", stops = {-1, 1} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
