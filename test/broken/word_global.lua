-- expect 2: 'bdoy' is not defined; did you mean 'body'?
bdoy { name = "a", mass = 1, inertia = {1, 1, 1} }
