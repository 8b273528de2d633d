-- expect 3: every is 2.5; it must be a whole number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { every = 2.5 }
