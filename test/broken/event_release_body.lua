-- expect 2: event 'e': release = 'a': that is a body; only joints can be released and engaged
event { name = "e", when = function(t, s) return t - 1 end, action = {release = "a"} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
