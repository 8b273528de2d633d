-- expect 2: interfaces must be a table of names with nodes, not a string
flexible{ name = "rod", modes = {n = 2}, interfaces = "tip", beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
