-- expect 2: modes must be a table in braces, not a number
flexible{ name = "rod", modes = 4, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
