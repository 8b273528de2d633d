-- expect 3: a string of more than 1 MB
local s = string.rep("x", 100000)
s = s:gsub("x", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
