-- expect 3: no key 'velocty' in a body; did you mean 'velocity'?
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, velocty = {0, 0, 0} }
