-- expect 3: attempt to assign to const variable 'm'
local m <const> = 1
m = 2
