-- expect 2: nested too deeply
local function f() table.sort({1, 2, 3}, f) return true end
f()
