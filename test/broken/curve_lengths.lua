-- expect 2: curve: x has 3 numbers, and y has 2
local c = curve({0, 1, 2}, {1, 2})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
