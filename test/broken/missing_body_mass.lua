-- expect 3: mass is missing
model "broken"
body { name = "top", inertia = {1, 1, 1} }
