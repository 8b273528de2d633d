-- expect 3: string.gsub could take too long
local s = string.rep("a", 3000)
local x = s:gsub("a*a*a*b", "")
