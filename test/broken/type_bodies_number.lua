-- expect 3: bodies[2] must be the name of a body, not a number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "fixed", bodies = {"ground", 1} }
