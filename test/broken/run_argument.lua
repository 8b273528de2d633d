-- expect 2: bad argument #1 to 'floor'
local n = math.floor("many")
