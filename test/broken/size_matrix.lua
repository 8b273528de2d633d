-- expect 3: matrix of rotation must be 3 rows of 3 numbers
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {matrix = {{1, 0, 0}, {0, 1, 0}}} }
