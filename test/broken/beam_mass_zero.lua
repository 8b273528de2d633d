-- expect 2: beam 'rod': rhoA of mass is 0; it must be above 0
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 0, J = {1, 1, 1}} }
