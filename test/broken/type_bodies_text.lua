-- expect 3: bodies must be a list of the names of two bodies, not a string
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "fixed", bodies = "a" }
