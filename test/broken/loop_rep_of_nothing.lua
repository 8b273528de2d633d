-- expect 2: string.rep could take too long
local s = string.rep("", 1e18)
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
