-- expect 3: h is -0.001; it must be above 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { t_end = 1, h = -1e-3 }
