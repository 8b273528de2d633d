-- expect 3: run: takes one table in braces
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run(1)
