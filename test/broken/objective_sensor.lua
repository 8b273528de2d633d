-- expect 2: sensor must be the name of a sensor, not a number
objective{ name = "J", data = "none.csv", sensor = 1 }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
