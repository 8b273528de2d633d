-- expect 3: no key 'lengt' in a spring; did you mean 'length'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"ground", "a"}, k = 1, lengt = 1 }
