-- expect 3: run: no key 'formulaton' in run; did you mean 'formulation'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { formulaton = "ggl" }
