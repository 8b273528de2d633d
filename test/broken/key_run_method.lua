-- expect 3: run: no key 'metod' in run; did you mean 'method'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { metod = "genalpha" }
