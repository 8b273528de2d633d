-- expect 2: takes one list of 3 numbers
gravity(0, 0, -9)
body { name = "a", mass = 1, inertia = {1, 1, 1} }
