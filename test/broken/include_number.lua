-- expect 2: include: the file must be a string, not a number
include(7)
body { name = "a", mass = 1, inertia = {1, 1, 1} }
