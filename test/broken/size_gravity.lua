-- expect 2: gravity: its value must be a list of 3 numbers, not 2
gravity {0, -9.81}
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
