-- expect 3: a quaternion of length 0.99999
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {0.99999, 0, 0, 0} }
