-- expect 3: force 'w': attempt to get length of a body value
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
force{ name = 'w', body = 'a', value = function(t, s) return #s.a, 0, 0 end }
