-- expect 2: param: takes a name and a default value
local p = param("p")
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
