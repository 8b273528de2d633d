-- expect 3: attempt to perform arithmetic on a nil value (field 'radius')
local wheel = {}
local x = wheel.radius * 2
