-- expect 2: x must be the name of a column, not a number
local c = curve("curve_file.csv", {x = 1})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
