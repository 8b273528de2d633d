-- expect 2: sphere is 0; it must be above 0
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 0} }
