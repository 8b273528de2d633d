-- expect 3: no type 'positon'; did you mean 'position'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", type = "positon", body = "a" }
