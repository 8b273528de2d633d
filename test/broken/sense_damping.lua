-- expect 3: d is -0.5; it must not be negative
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
torsion { body = "a", d = -0.5 }
