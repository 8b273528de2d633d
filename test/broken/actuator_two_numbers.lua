-- expect 2: actuator 'm': the function returns 2 values instead of 1
actuator { name = "m", joint = "j", effort = function(t, s) return 1, 2 end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
