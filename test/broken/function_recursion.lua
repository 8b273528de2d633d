-- expect 3: infinite recursion: a function calls itself
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
local function f(t) return 1 + f(t) end
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = f }
