-- expect 3: value is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { body = "a" }
