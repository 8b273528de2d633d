-- expect 2: with the frame held, the stiffness is not positive definite
flexible{ name = "rod", points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, modes = {n = 2}, members = {{nodes = {0, 1}, n = 2, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}}, {nodes = {2, 3}, n = 2, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}}} }
