-- expect 2: alpha of damping is -1; it must not be negative
flexible{ name = "rod", modes = {n = 2}, damping = {alpha = -1}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
