-- expect 2: nothing is called 'bdoy'; did you mean 'body'?
bdoy { name = "a", mass = 1, inertia = {1, 1, 1} }
