-- expect 3: velocity[1] is infinite
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, velocity = {1/0, 0, 0} }
