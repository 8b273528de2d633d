-- expect 3: t_end is 0; it must be above 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { t_end = 0, h = 1e-3 }
