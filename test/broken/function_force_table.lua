-- expect 3: the function returns 4 values instead of 3
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = function(t, s) return {1, 2, 3, 4} end }
