-- expect 3: no key 'body' in an energy sensor; it belongs to: position
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "e", type = "energy", body = "a" }
