-- expect 2: beam 'rod': J of mass has the principal moments 0, 0, 0: all must be above 0
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {0, 0, 0}} }
