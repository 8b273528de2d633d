-- expect 3: frame cannot be 'local'; there are: world, body
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { body = "a", value = {0, 0, 1}, frame = "local" }
