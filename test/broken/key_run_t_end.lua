-- expect 3: run: no key 'tend' in run; did you mean 't_end'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { tend = 1 }
