-- expect 3: start has no choice 'perturb'; did you mean 'perturbed'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { start = "perturb" }
