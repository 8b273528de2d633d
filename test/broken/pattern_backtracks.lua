-- expect 3: this takes more than 2e+08 operations
local s = string.rep("a", 3000)
local x = s:gsub("a*a*a*b", "")
