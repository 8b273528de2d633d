-- expect 2: frame_node: there is no node 5
flexible{ name = "rod", frame_node = 5, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
