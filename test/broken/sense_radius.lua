-- expect 3: radius is -0.1
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "rolling", bodies = {"ground", "a"}, axis = {0, 1, 0}, radius = -0.1 }
