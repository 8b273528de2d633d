-- expect 4: a body has no 'positon'; did you mean 'position'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = function(t, s)
    return s.a.positon end }
