-- expect 2: nested too deeply
local function f() return (string.gsub("a", "a", f)) end
f()
