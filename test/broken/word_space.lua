-- expect 3: space cannot be 'SO3'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { space = "SO3" }
