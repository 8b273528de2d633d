-- expect: the model has no parameter 'mas'; did you mean 'mass'?
-- set: mas=2
local m = param("mass", 1)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
