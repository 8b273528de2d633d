-- expect 4: there is no body 'b'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = function(t, s)
    return s.b.position end }
