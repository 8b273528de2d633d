-- expect 3: there is no body 'xylophone'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
spring { bodies = {"a", "xylophone"}, k = 1 }
