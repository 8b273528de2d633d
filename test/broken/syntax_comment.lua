-- expect 4: unfinished long comment
--[[ never closed
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
