-- expect 3: 'radius' is not defined
local m = 3
body { name = "a", mass = m, inertia = {1, 1, 1}, position = {radius, 0, 0} }
