-- expect 2: too many values at once
local a = ("x"):rep(1e6):byte(1, -1)
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
