-- expect 2: its value[3] is infinite
gravity {0, 0, -1/0}
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
