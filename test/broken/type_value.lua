-- expect 3: value must be a list of 3 numbers, not a string
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { body = "a", value = "down" }
