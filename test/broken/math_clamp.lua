-- expect 2: clamp(x, lo, hi) takes 3 numbers
local x = clamp(1, "a", 3)
body { name = "a", mass = 1, inertia = {1, 1, 1} }
