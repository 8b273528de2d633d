-- expect 3: axis of rotation has length 0
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {axis = {0, 0, 0}, angle = 1} }
