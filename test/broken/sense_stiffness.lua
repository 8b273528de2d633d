-- expect 3: k is -1; it must not be negative
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"ground", "a"}, k = -1 }
