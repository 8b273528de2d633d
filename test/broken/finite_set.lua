-- expect 3: param 'm': the value set is not a number
-- set: m=nan
local m = param("m", 1)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
