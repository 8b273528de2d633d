-- expect 2: bad argument #2 to 'string.rep' (number has no integer representation)
local s = string.rep('a', 0 / 0)
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
