-- expect 3: rho is 1.5; it must be from 0 to 1
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { rho = 1.5 }
