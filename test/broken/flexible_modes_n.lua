-- expect 2: modes: n, the number of modes, is missing
flexible{ name = "rod", modes = {type = "clamped"}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
