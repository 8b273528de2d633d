-- expect 3: this takes more than 2e+08 operations; is there a loop without end?
local s = ""
while true do s = string.rep("x", 1000) .. #s end
