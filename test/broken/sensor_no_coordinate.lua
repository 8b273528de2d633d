-- expect 5: force 'f': sensor 'q': joint 'j' has no free coordinate
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "fixed", bodies = {"ground", "a"}, at = {0, 0, 0} }
sensor { name = "q", type = "joint_rate", joint = "j" }
force { name = "f", body = "a", value = function(t, s) return s.sensors.q, 0, 0 end }
