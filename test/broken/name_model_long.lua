-- expect 2: the name must have from 1 to 126 characters, not 1000
model(string.rep("x", 1000))
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
