-- expect 3: model: is given twice, first on line 2
model "one"
model "two"
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
