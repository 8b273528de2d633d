-- expect 2: n of modes is 1000000; the limit is 1000
flexible{ name = "rod", modes = {n = 1000000}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
