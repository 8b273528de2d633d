-- expect 2: there is no state 'y'
state { name = "x", rate = function(t, s) return s.states.y end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
