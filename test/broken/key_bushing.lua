-- expect 3: no key 'kR' in a bushing; did you mean 'kr'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
bushing { bodies = {"ground", "a"}, k = {1, 1, 1}, kR = 1 }
