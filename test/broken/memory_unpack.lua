-- expect 4: too many results to unpack
local t = {}
for i = 1, 2000000 do t[i] = i end
local n = select("#", table.unpack(t))
