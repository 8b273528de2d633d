-- expect 2: include: 'include_itself.lua' includes itself
include("include_itself.lua")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
