-- expect 2: table.move could take too long
local t = table.move({}, 1, math.maxinteger - 1, 2)
