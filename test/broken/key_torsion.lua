-- expect 3: no key 'dd' in a torsion; there are: name, body, k, d
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
torsion { body = "a", k = 1, dd = 1 }
