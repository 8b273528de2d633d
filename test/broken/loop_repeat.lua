-- expect 3: this takes more than 2e+08 operations; is there an infinite loop?
local x = 0
repeat x = x + 1 until x < 0
