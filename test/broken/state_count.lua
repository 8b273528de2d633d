-- expect 2: state 'x': the function returns 1 value instead of 2
state { name = "x", initial = {1, 2}, rate = function(t, s) return 1 end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
