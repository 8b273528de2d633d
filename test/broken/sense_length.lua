-- expect 3: length is -1
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"ground", "a"}, k = 1, length = -1 }
