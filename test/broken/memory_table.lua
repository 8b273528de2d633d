-- expect 3: the model uses more than 256 MB
local t = {}
for i = 1, 1e9 do t[i] = i end
