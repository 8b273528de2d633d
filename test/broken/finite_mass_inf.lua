-- expect 2: mass is infinite
body { name = "a", mass = math.huge, inertia = {1, 1, 1} }
