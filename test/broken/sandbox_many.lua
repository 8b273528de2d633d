-- expect 3: more than
local i = 0
while true do i = i + 1 particle { name = "p" .. i, mass = 1 } end
