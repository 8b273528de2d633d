-- expect 2: mesh 'mesh_noise.stl': it is not an STL file
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_noise.stl"} }
