-- expect 3: velocity[3] = -1e+101 is larger
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, velocity = {0, 0, -1e101} }
