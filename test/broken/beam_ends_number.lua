-- expect 2: must be two words, not a number
beam{ name = "b", from = {0, 0, 0}, to = {1, 0, 0}, n = 2, ends = {7, 8}, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
