-- expect 2: line 2: a face has a corner that is not the number of a vertex
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_corner.obj"} }
