-- expect 2: event 'e': action is missing
event { name = "e", when = function(t, s) return t - 1 end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
