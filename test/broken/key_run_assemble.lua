-- expect 3: run: no key 'assembel' in run; did you mean 'assemble'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { assembel = true }
