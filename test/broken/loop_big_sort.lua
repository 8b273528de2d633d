-- expect 4: table.sort could take too long
local t = {}
for i = 1, 4000000 do t[i] = 0 end
table.sort(t)
