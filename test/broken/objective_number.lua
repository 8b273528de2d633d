-- expect 2: final must be function(s), not a number
objective{ name = "J", final = 3 }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
