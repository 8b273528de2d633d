-- expect 2: 'gravitiy' is not defined; did you mean 'gravity'?
gravitiy {0, 0, -9.81}
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
