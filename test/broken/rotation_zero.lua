-- expect 3: a quaternion of length 0 instead of 1
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {0, 0, 0, 0} }
