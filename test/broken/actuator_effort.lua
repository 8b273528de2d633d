-- expect 2: actuator 'm': effort must be a number, name of an input or function(t, s), not a table
actuator { name = "m", joint = "j", effort = {1} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
