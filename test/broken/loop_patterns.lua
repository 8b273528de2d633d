-- expect 3: this takes more than 2e+08 operations; is there an infinite loop?
local s = string.rep("a", 300)
while true do s:find("a*a*b") end
