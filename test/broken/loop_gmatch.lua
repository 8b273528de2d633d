-- expect 3: this takes more than 2e+08 operations
local s = string.rep("(", 100000)
for w in s:gmatch("%b()%b()") do end
