-- expect: the model has no parameters, and so no 'm'
-- set: m=2
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
