-- expect 2: dofs is 4; it must be 3 or 6
flexible{ name = "rod", mass = "M.mtx", stiffness = "K.mtx", nodes = "nodes.csv", dofs = 4, modes = {n = 2} }
