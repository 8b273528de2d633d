-- expect 3: neither stiffness nor damping is given (k, d)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"ground", "a"} }
