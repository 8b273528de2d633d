-- expect 2: include: cannot read 'no/such.lua': No such file or directory
include("no/such.lua")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
