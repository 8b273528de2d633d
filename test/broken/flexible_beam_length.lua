-- expect 2: member 1 has length 0
flexible{ name = "rod", modes = {n = 2}, beam = {from = {1, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
