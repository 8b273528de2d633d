-- expect 3: has an axis and no angle
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {axis = {0, 0, 1}, vector = {0, 0, 1}} }
