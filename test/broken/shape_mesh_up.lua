-- expect 2: mesh: '../x.stl'
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "../x.stl"} }
