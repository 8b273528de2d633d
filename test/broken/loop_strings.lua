-- expect 3: this takes more than 2e+08 operations; is there an infinite loop?
local s = ""
while true do s = string.rep("x", 1000) .. #s end
