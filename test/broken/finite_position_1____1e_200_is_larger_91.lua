-- expect 3: position[1] = 1e+200 is larger than 1e+100
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {1e200, 0, 0} }
