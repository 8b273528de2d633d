-- expect 4: this takes more than 2e+08 operations; is there an infinite loop?
local t = {}
for i = 1, 200000 do t[i] = -i end
while true do table.sort(t, function(a, b) return a < b end) table.sort(t, function(a, b) return a > b end) end
