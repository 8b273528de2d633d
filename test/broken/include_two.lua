-- expect 2: takes one string, the name of a file
include("a.lua", "b.lua")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
