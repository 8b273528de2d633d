-- expect 3: what the function returns is not a number (0/0,
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = function(t) return t/t end }
