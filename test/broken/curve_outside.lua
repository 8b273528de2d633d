-- expect 2: a curve from 0.0 to 2.0 has no value at 3.0
local c = curve({0, 1, 2}, {1, 2, 4}, {outside = "error"})(3)
body { name = "a", mass = 1, inertia = {1, 1, 1} }
