-- expect 3: max_iterations is 0
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { max_iterations = 0 }
