-- expect 2: beam 'rod': n is 1000000000; a model cannot have more than 1000000 bodies
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 1e9, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
