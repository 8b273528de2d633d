-- expect 3: omega[2] is not a number
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, omega = {0, math.sqrt(-1), 0} }
