-- expect 2: there are 2 modes and 3 ratios
flexible{ name = "rod", damping = {ratio = {0.1, 0.1, 0.1}}, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
