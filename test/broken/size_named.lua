-- expect 3: position must be a list of 3 numbers, without the key 'z'
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {0, 0, z = 1} }
