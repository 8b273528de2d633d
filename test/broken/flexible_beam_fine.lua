-- expect 2: too many small elements in a row: round-off spoils
flexible{ name = "rod", modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4000, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
