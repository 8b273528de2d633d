-- expect 3: body 'a': the name is already taken, on line 2
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
body {  name = "a", mass = 2, inertia = {1, 2, 2.5} }
