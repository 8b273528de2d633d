-- expect 2: EI of section is 0; it must be above 0
flexible{ name = "rod", modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 0}, mass = {rhoA = 1, rhoJ = 1}} }
