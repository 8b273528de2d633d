-- expect 2: an action is "stop" or a table such as {release = "joint"}, not a number
event { name = "e", when = function(t) return t - 1 end, action = {7} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
