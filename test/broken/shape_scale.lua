-- expect 2: shape: only a mesh has a scale
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, scale = 2} }
