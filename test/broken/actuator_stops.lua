-- expect 2: actuator 'm': stops are {1, -1}; the first must be below the second
actuator { name = "m", joint = "j", stops = {1, -1}, stop_k = 1 }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
