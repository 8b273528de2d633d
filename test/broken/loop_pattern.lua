-- expect 3: string.find could take too long
local s = string.rep("a", 10000)
local x = s:find(".-.-.-.-.-b")
