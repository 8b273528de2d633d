-- expect 4: run: is given twice
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { h = 1e-3 }
run { t_end = 1 }
