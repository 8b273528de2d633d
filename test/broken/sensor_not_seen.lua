-- expect 2: sensor 'e': functions cannot read the type energy; they see bodies, joints, inputs and states
sensor { name = "e", type = "energy" } actuator { name = "m", joint = "j", effort = function(t, s) return s.sensors.e end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
