-- expect 4: bodies must name two bodies
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
body { name = "bar", mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }
joint { name = "j", type = "fixed", bodies = {"ground", "a", "bar"} }
