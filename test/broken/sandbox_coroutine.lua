-- expect 2: model files have no 'coroutine'
local c = coroutine.create(function() end)
