-- expect 2: no key 'inertia' in a particle; it belongs to: body
particle { name = "p", mass = 1, inertia = {1, 1, 1} }
