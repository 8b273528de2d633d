-- expect 2: event 'e': release = 'c': that is a constraint; only joints can be released and engaged
event { name = "e", when = function(t, s) return t - 1 end, action = {release = "c"} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
constraint { name = "c", f = function(t, s) return s.a.position.x end }
