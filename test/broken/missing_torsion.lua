-- expect 3: neither stiffness nor damping
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
torsion { body = "a" }
