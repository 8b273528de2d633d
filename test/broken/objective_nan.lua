-- expect 2: the function returns
objective{ name = "J", final = function(s) return 0/0 end }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
