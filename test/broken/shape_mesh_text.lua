-- expect 2: mesh 'mesh_text.stl', line 4: three numbers expected
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_text.stl"} }
