-- expect 3: body is missing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
torque { value = {0, 0, 1} }
