-- expect 3: neither stiffness nor damping is given (k, d, kr, dr)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
bushing { bodies = {"ground", "a"} }
