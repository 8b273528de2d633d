-- expect 2: curve: needs at least two points, not 1
local c = curve({0}, {1})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
