-- expect 2: a string of 100000000 characters
local s = string.rep("x", 100000000)
