-- expect 2: curve: it is too steep between points 2 and 3, at 1e-300 and 2e-300
local c = curve({0, 1e-300, 2e-300, 1}, {0, 0, 1, 1})
body { name = "b", mass = 1, inertia = {1, 1, 1} }
force { body = "b", value = function(t) return c(t), 0, 0 end }
