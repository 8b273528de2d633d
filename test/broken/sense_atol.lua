-- expect 3: atol is -1e-06
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { atol = -1e-6 }
