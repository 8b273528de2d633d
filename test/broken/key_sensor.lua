-- expect 3: no key 'boby' in a position sensor; did you mean 'body'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "x", type = "position", boby = "a" }
