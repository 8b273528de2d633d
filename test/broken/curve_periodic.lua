-- expect 2: curve: a smooth periodic curve must end with its first value: 4 is not 1
local c = curve({0, 1, 2}, {1, 2, 4}, {kind = "cubic", outside = "periodic"})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
