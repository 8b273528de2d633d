-- expect 3: 'm' is given twice, first on line 2
local m = param("m", 1)
local n = param("m", 2)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
