-- expect 2: event 'e': action 'halt': the only one without a table is "stop"
event { name = "e", when = function(t, s) return t - 1 end, action = "halt" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
