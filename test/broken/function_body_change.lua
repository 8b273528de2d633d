-- expect 3: force 'w': a function cannot change the state
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
force{ name = 'w', body = 'a', value = function(t, s) s.a.position = 1 return 0, 0, 0 end }
