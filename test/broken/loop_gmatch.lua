-- expect 3: string.gmatch could take too long
local s = string.rep("(", 100000)
for w in s:gmatch("%b()%b()") do end
