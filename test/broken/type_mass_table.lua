-- expect 2: mass must be a number, not a table
body { name = "a", mass = {1}, inertia = {1, 1, 1} }
