-- expect 2: param 'p': its default is not a number
local p = param("p", 0/0)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
