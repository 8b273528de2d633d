-- expect 3: start cannot be 'perturb'; did you mean 'perturbed'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { start = "perturb" }
