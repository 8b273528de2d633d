-- expect 2: name has 200 characters; 63 are the limit
body { name = string.rep("x", 200), mass = 1, inertia = {1, 1, 1} }
