-- expect 2: frame_node is 0.5; it must be a whole number
flexible{ name = "rod", frame_node = 0.5, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
