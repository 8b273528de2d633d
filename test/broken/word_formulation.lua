-- expect 3: formulation cannot be 'index-3'; did you mean 'index3'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { formulation = "index-3" }
