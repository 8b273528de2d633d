-- expect 2: type of modes must be a string, not a number
flexible{ name = "rod", modes = {type = 7, n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
