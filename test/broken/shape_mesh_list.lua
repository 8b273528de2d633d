-- expect 2: triangles of mesh have the corner 3; there are points 0 to 2
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = {points = {0,0,0, 1,0,0, 0,1,0}, triangles = {0, 1, 3}}} }
