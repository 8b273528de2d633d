-- expect 3: vector of rotation[2] is infinite
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {vector = {0, math.huge, 0}} }
