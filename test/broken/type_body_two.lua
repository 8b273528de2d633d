-- expect 2: body: takes one table in braces
body({name = "a", mass = 1, inertia = {1, 1, 1}}, 2)
