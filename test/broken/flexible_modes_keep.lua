-- expect 2: keep must be ascending numbers from 1 to 4, not 3
flexible{ name = "rod", modes = {n = 4, keep = {4, 3}}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
