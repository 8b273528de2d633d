-- expect 4: too many values at once; the limit is 100000
local t = {}
for i = 1, 2000000 do t[i] = i end
local n = select("#", table.unpack(t))
