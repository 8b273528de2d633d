-- expect 2: n is 30, but only 24 degrees of freedom are left
flexible{ name = "rod", modes = {n = 30}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
