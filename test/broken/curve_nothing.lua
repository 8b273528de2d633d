-- expect 2: takes two lists or the name of a file, and perhaps a table of options
local c = curve()
body { name = "a", mass = 1, inertia = {1, 1, 1} }
