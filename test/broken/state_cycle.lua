-- expect 4: sensor 'p' depends on itself
state { name = "x", rate = function(t, s) return s.sensors.p end }
sensor { name = "p", custom = function(t, s) return s.sensors.q + s.states.x end }
sensor { name = "q", custom = function(t, s) return s.sensors.p end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
