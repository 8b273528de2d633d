-- expect 2: event 'e': does nothing: action is empty
event { name = "e", when = function(t, s) return t - 1 end, action = {} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
