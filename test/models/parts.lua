model "parts"
local part = include("part.lua")
body { name = "a", mass = part.mass(0.5), inertia = {1, 1, 1} }
part.second()
