-- expect 3: the function returns 100 numbers; the limit is 64
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", custom = function(t, s) local x = {} for i = 1, 100 do x[i] = i end return x end }
