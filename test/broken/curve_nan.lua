-- expect 2: curve: y[2] is not a number
local c = curve({0, 1}, {1, 0/0})
