-- expect 4: event 'e': the name is already taken, on line 3
body { name = "a", mass = 1, inertia = {1, 1, 1} }
event { name = "e", when = function(t, s) return t - 1 end, action = "stop" }
event { name = "e", when = function(t, s) return t - 1 end, action = "stop" }
