-- expect 2: 'curve_column.csv' has no second column
local c = curve("curve_column.csv")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
