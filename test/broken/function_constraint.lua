-- expect 3: constraint 'c': the function returns a boolean
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
constraint { name = "c", f = function(t, s) return true end }
