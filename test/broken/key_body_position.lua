-- expect 3: no key 'posiiton' in a body; did you mean 'position'?
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, posiiton = {0, 0, 0} }
