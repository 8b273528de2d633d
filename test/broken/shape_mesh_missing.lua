-- expect 2: none.stl': No such file or directory
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "none.stl"} }
