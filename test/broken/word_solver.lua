-- expect 3: solver cannot be 'umfpack'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { solver = "umfpack" }
