-- expect 3: rotation must be {w, x, y, z}
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = "90 degrees" }
