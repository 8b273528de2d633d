-- expect 3: the function returns 0 values instead of at least 1
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", custom = function(t, s) return {} end }
