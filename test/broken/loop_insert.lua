-- expect 4: this takes more than 2e+08 operations; is there an infinite loop?
local t = {}
for i = 1, 1000000 do t[i] = i end
while true do table.insert(t, 1, 0) table.remove(t, 1) end
