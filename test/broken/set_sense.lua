-- expect 4: mass is -3; it must be above 0
-- set: m=-3
local m = param("m", 1)
body { name = "a", mass = m, inertia = {1, 1, 1} }
