-- expect 2: its default must be a number, not a string
local p = param("p", "1")
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
