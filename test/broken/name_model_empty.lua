-- expect 2: the name must have from 1 to
model ""
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
