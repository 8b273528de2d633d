-- expect 3: no key 'inerta' in a body; did you mean 'inertia'?
model "broken"
body { name = "top", mass = 1, inerta = {1, 1, 1} }
