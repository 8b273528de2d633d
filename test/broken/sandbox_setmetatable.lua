-- expect 2: model files have no 'setmetatable'
local v = setmetatable({}, {})
