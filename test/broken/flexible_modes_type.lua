-- expect 2: modes have no type 'clambed'; did you mean 'clamped'?
flexible{ name = "rod", modes = {type = "clambed", n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
