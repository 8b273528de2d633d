-- expect 4: constraint 'j': the name is already taken
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "fixed", bodies = {"ground", "a"} }
constraint { name = "j", f = function(t, s) return 0 end }
