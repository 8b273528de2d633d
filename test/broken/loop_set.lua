-- expect 2: this takes more than 2e+08 operations
local at = string.find(("a"):rep(9e5), "[" .. ("b"):rep(1e4) .. "]")
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
