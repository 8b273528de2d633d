-- expect 2: must be a table of load cases with files
flexible{ name = "rod", modes = {n = 2}, geometric_stiffness = {"KG.mtx"}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
