-- expect 3: h is not a number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { h = 0/0 }
