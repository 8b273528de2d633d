-- expect 3: k is not a number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"ground", "a"}, k = 0/0 }
