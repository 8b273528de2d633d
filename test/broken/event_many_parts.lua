-- expect 2: action has more than
event { name = "e", when = function(t) return t - 1 end, action = {set = (function() local u = {} for i = 1, 5000 do u["u" .. i] = 1 end return u end)()} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
