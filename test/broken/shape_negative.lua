-- expect 2: box has the size -1; all must be above 0
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {box = {1, -1, 1}} }
