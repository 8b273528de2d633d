-- expect 2: there is no input 'v'
input { name = "u" } actuator { name = "m", joint = "j", effort = function(t, s) return s.inputs.v end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
