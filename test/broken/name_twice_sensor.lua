-- expect 4: sensor 's': the name is already taken
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", type = "energy" }
sensor { name = "s", type = "energy" }
