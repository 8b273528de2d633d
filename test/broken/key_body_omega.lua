-- expect 3: no key 'omga' in a body; did you mean 'omega'?
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, omga = {0, 0, 0} }
