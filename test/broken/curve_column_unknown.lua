-- expect 2: 'curve_file.csv' has no column 'force'
local c = curve("curve_file.csv", {y = "force"})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
