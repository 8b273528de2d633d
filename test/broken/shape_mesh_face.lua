-- expect 2: a face refers to a vertex that does not exist
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_face.obj"} }
