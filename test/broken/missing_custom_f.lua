-- expect 3: f is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", type = "custom" }
