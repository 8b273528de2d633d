-- expect: the model has no parameter 'zeta'; there are: m, k
-- set: zeta=2
local m, k = param("m", 1), param("k", 2)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
