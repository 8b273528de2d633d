-- expect 2: shape[2] has a marker, which flexible bodies alone have
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {{sphere = 1}, {sphere = 1, marker = "m"}} }
