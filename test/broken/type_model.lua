-- expect 2: model: takes one string
model { name = "top" }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
