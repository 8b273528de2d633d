-- expect 2: event 'e': set of 'u' must be a number, not a string
event { name = "e", when = function(t, s) return t - 1 end, action = {set = {u = "on"}} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
input { name = "u" }
