-- expect 2: this takes more than 2e+08 operations; is there an infinite loop?
local function f(n) return f(n + 1) end
f(1)
