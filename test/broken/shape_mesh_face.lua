-- expect 2: a face names a corner that is not there
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_face.obj"} }
