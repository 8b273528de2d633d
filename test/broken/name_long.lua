-- expect 2: name has 200 characters; the limit is 63
body { name = string.rep("x", 200), mass = 1, inertia = {1, 1, 1} }
