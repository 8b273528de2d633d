-- expect 2: set is empty: say {name = value}
event { name = "e", when = function(t) return t - 1 end, action = {set = {}} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
