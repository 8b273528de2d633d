-- expect 3: method cannot be 'genalfa'; did you mean 'genalpha'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { method = "genalfa" }
