-- expect 3: a string of more than 1 MB
local s = string.rep("x", 1000000)
s = string.format("%s%s", s, s)
