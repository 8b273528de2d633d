-- expect 2: string.find could take too long
local at = string.find(("a"):rep(9e5), "[" .. ("b"):rep(1e4) .. "]")
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
