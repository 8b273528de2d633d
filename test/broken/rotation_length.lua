-- expect 3: rotation is a quaternion of length 1.41421356 instead of 1
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {1, 1, 0, 0} }
