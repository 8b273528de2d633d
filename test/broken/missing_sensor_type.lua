-- expect 3: needs a type
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", body = "a" }
