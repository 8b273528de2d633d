-- expect 2: event 'e': engage must be a string, not a number
event { name = "e", when = function(t, s) return t - 1 end, action = {engage = 3} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
