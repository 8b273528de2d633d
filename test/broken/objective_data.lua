-- expect 2: data and sensor belong together
objective{ name = "J", data = "none.csv" }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
