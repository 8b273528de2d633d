-- expect 4: the name is already taken
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "f", body = "a", value = {0, 0, 1} }
torque { name = "f", body = "a", value = {0, 0, 1} }
