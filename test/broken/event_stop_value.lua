-- expect 2: event 'e': write "stop" without a value
event { name = "e", when = function(t, s) return t - 1 end, action = {stop = true} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
