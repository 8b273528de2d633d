-- expect 3: force 'w': attempt to perform arithmetic on a state value
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
force{ name = 'w', body = 'a', value = function(t, s) return s + 1, 0, 0 end }
