-- expect 3: k must be a list of 3 numbers, not a number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
bushing { bodies = {"ground", "a"}, k = 100 }
