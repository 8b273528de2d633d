-- expect 2: actuator 'm': does nothing: give effort, k, d or stops
actuator { name = "m", joint = "j" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
