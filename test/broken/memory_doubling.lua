-- expect 3: a string of more than 1 MB
local s = "x"
while true do s = s .. s end
