-- expect 2: geometric_stiffness must be true, false, a file or a table of files
flexible{ name = "rod", geometric_stiffness = 1, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
