-- expect 2: event 'e': what the function returns is not a number
event { name = "e", when = function(t, s) return 0/0 end, action = "stop" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
