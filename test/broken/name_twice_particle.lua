-- expect 3: particle 'a': the name is already taken
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
particle { name = "a", mass = 1 }
