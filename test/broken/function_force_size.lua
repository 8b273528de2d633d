-- expect 3: force 'f': the function returns 2 values instead of 3
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = function(t, s) return 1, 2 end }
