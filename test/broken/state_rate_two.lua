-- expect 2: state 'x': the function returns 2 values instead of 1
state { name = "x", rate = function(t, s) return 1, 2 end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
