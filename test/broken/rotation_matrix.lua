-- expect 3: matrix of rotation is not orthogonal: R^T R differs from 1 by 0.5
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, rotation = {matrix = {{1, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}} }
