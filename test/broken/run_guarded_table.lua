-- expect 2: bad argument #1 to 'table.concat' (table expected, got nil)
local s = table.concat(nil)
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
