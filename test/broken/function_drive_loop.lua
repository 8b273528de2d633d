-- expect 3: joint 'j': this takes more than 2e+08 operations
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = function(t) while true do end end }
