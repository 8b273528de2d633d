-- expect 2: tube has the inner radius 2, which must be below its radius, 1
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {tube = {1, 2, 3}} }
