-- expect 3: acts on 'ground', which does not move
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { body = "ground", value = {1, 0, 0} }
