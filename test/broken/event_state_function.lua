-- expect 2: event 'e': the function returns 2 values instead of 1
event { name = "e", when = function(t, s) return t - 1 end, action = {state = {x = function(t, s) return 1, 2 end}} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
state { name = "x", rate = function(t, s) return 1 end }
