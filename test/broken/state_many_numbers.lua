-- expect 2: initial has 0 numbers; a state has from 1 to
state { name = "x", initial = {}, rate = function(t, s) return 0 end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
