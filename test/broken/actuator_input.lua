-- expect 2: actuator 'm': there is no input 'torque'
actuator { name = "m", joint = "j", effort = "torque" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
