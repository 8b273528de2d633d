-- expect 3: the value set is infinite
-- set: m=inf
local m = param("m", 1)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
