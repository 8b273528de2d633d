-- expect 2: body 'a': shape must be a shape, as {box = {1, 1, 1}}, or a list of shapes, not a number
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = 3 }
