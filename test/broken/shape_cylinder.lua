-- expect 2: cylinder must be a list of 2 numbers
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {cylinder = {1}} }
