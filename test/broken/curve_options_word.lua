-- expect 2: options must be a table, not a string
local c = curve({0, 1}, {1, 2}, "cubic")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
