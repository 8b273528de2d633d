-- expect 4: a function of the model cannot change the model
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = function(t, s)
    particle { name = "p", mass = 1 }
    return 0, 0, 0 end }
