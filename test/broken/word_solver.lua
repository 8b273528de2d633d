-- expect 3: solver has no choice 'umfpack'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { solver = "umfpack" }
