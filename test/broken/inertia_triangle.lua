-- expect 2: the principal moments 1, 2, 4: no body has 1 + 2 < 4
body { name = "a", mass = 1, inertia = {1, 2, 4} }
