-- expect 2: shape has a scale, which a mesh alone has
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, scale = 2} }
