-- expect 2: event 'e': set: there is no input 'u'
event { name = "e", when = function(t, s) return t - 1 end, action = {set = {u = 1}} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
