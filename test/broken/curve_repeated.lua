-- expect 2: curve: the abscissa 1 is there twice, in points 2 and 3
local c = curve({0, 1, 1}, {1, 2, 3})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
