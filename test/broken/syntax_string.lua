-- expect 2: unfinished string
model "broken
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
