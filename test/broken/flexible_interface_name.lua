-- expect 2: the name of an interface 'a b' may only have letters
flexible{ name = "rod", interfaces = {["a b"] = 1}, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
