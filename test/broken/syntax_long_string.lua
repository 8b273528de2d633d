-- expect 4: unfinished long string (starting at line 2)
model [[broken
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
