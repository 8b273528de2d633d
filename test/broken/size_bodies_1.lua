-- expect 3: bodies must name two bodies
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "fixed", bodies = {"a"} }
