-- expect 3: assemble must be true or false, not a number
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { assemble = 1 }
