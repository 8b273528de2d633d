-- expect 2: its value must be a list of 3 numbers, not a number
gravity(-9.81)
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
