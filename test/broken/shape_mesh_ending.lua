-- expect 2: mesh 'part.step' must end in .stl or .obj
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {mesh = "part.step"} }
