-- expect 2: sensor 'p' depends on itself
sensor { name = "p", custom = function(t, s) return s.sensors.q end } sensor { name = "q", custom = function(t, s) return s.sensors.p end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
