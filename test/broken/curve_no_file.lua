-- expect 2: curve: cannot read
local c = curve("none.csv")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
