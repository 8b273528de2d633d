-- expect 2: kind must be a string, not a number
local c = curve({0, 1}, {1, 2}, {kind = 3})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
