-- expect 2: event 'e': when depends neither on time nor on the state: it never changes its sign
event { name = "e", when = function(t, s) return 0 end, action = "stop" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
