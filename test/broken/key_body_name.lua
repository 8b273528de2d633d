-- expect 3: no key 'Name' in a body; did you mean 'name'?
model "broken"
body { mass = 1, inertia = {1, 1, 1}, Name = "top" }
