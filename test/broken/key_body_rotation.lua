-- expect 3: no key 'rotaton' in a body; did you mean 'rotation'?
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotaton = {1, 0, 0, 0} }
