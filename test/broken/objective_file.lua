-- expect 2: cannot read
objective{ name = "J", data = "none.csv", sensor = "x" } sensor{ name = "x", type = "energy" }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
