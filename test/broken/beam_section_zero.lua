-- expect 2: beam 'rod': GJ of section is 0; it must be above 0
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 0, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
