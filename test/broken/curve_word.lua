-- expect 2: a curve takes one number
local c = curve({0, 1}, {1, 2})("x")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
