-- expect 3: run: h_max is 0; it must be above 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { tol = 1e-3, h_max = 0 }
