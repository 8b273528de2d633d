-- expect 2: row 2 of inertia must be a list of 3 numbers, not 2
body { name = "top", mass = 1, inertia = {{1, 0, 0}, {0, 1}, {0, 0, 1}} }
