-- expect 3: inertia is missing
model "broken"
body { name = "top", mass = 1 }
