-- expect 3: the name is already taken, on line 2
objective{ name = "J", final = function(s) return 1 end }
objective{ name = "J", final = function(s) return 1 end }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
