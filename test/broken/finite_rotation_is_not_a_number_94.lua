-- expect 3: angle of rotation is not a number
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {axis = {0, 0, 1}, angle = 0/0} }
