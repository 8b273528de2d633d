-- expect 3: what the function returns = 1e+300 is larger than 1e+100
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = function(t, s) return 0, 0, 1e300 end }
