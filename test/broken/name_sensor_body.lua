-- expect 3: there is no body 'b'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", type = "omega", body = "b" }
