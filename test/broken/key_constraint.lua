-- expect 3: no key 'func' in a constraint
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
constraint { name = "c", func = function(t, s) return 0 end }
