-- expect 2: sensor 'r': reaction is not known before accelerations are; functions see positions and velocities
sensor { name = "r", type = "reaction", joint = "j" } actuator { name = "m", joint = "j", effort = function(t, s) return s.sensors.r[1] end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
