-- expect 2: ratio of damping is -0.1; it must not be negative
flexible{ name = "rod", damping = {ratio = -0.1}, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}} }
