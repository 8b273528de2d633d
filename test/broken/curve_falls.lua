-- expect 2: curve: abscissae must increase; point 2 is at -1 after 0
local c = curve({0, -1, 1}, {1, 2, 3})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
