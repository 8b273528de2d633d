-- expect 2: sphere is not a number
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 0/0} }
