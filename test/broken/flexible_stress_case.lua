-- expect 2: there is no load case 'spin'
flexible{ name = "rod", geometric_stiffness = {spin = "KG.mtx"}, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
