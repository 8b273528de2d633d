-- expect 2: event 'e': set must be a table, {name = value}, not a string
event { name = "e", when = function(t, s) return t - 1 end, action = {set = "u"} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
