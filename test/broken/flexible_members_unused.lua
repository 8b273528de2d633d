-- expect 2: the mass matrix is not positive definite: it shows at node 2, component 1
flexible{ name = "rod", points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, modes = {n = 2}, members = {{nodes = {0, 1}, n = 2, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}}} }
