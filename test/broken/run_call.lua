-- expect 3: attempt to call a number value (local 'm')
local m = 3
m(1)
