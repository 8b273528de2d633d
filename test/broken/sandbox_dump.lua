-- expect 2: attempt to call a nil value (field 'dump')
local s = string.dump(function() end)
