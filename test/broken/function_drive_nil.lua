-- expect 4: attempt to perform arithmetic on a nil value
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
local rate
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = function(t) return rate * t end }
