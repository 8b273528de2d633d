-- expect 3: omega[3] is infinite
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, omega = {0, 0, -1/0} }
