-- expect 2: keep of modes must be a whole number or a list of such
flexible{ name = "rod", modes = {n = 4, keep = "all"}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
