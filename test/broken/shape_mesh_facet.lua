-- expect 2: mesh 'mesh_facet.stl', line 6: a facet must have three corners
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "mesh_facet.stl"} }
