-- expect 2: y must be a list of numbers, not a number
local c = curve({0, 1}, 7)
body { name = "a", mass = 1, inertia = {1, 1, 1} }
