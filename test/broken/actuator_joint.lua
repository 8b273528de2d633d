-- expect 2: actuator 'm': there is no joint 'jj'
actuator { name = "m", joint = "jj", k = 1 }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
