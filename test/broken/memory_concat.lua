-- expect 4: a string of more than 1 MB
local t = {}
for i = 1, 3000 do t[i] = string.rep("x", 1000) end
local s = table.concat(t)
