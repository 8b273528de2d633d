-- expect 2: must be a list of numbers; some are missing
run { h = 0.1, t_end = 1, nonsmooth = {1, nil, 2} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
