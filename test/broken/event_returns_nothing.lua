-- expect 2: event 'e': the function returns 0 values instead of 1
event { name = "e", when = function(t, s) end, action = "stop" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
