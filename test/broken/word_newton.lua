-- expect 3: newton cannot be 'quasi'; there are: step, full, simplified, modified
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { newton = "quasi" }
