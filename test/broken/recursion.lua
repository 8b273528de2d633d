-- expect 2: infinite recursion: a function calls itself
local function f(n) return 1 + f(n + 1) end
f(1)
