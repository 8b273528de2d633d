-- expect 2: curve: the table of options has no 'side'
local c = curve({0, 1, 2}, {1, 2, 4}, {side = "hold"})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
