-- expect 2: name is empty
body { name = "", mass = 1, inertia = {1, 1, 1} }
