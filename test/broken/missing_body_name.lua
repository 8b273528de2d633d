-- expect 3: name is missing
model "broken"
body { mass = 1, inertia = {1, 1, 1} }
