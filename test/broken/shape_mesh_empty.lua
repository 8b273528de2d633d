-- expect 2: it has no triangles
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_empty.obj"} }
