-- expect 3: run: nonsmooth[2] must be a number, not a string
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { nonsmooth = {0.1, "now"} }
