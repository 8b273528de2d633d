-- expect 3: no key 'positon' in a particle; did you mean 'position'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
particle { name = "p", mass = 1, positon = 1 }
