-- expect 2: J of mass must be about the axes of the section: 3 numbers
flexible{ name = "rod", modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {2, 2, 2, 0.5, 0, 0}}} }
