-- expect 2: curve: kind cannot be 'cubik'; did you mean 'cubic'?
local c = curve({0, 1, 2}, {1, 2, 4}, {kind = "cubik"})
body { name = "a", mass = 1, inertia = {1, 1, 1} }
