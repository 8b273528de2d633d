-- expect 2: event 'e': direction cannot be 'left'; there are: both, up, down
event { name = "e", when = function(t, s) return t - 1 end, action = "stop", direction = "left" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
