-- expect 3: run: no key 'evry' in run; did you mean 'every'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { evry = 2 }
