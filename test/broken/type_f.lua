-- expect 3: f must be function(t, s), not a string
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
constraint { name = "c", f = "x = 0" }
