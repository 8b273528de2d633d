-- expect 3: there are: t_end, h, space
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { colour = "red" }
