-- expect 2: beam 'rod': EI of section is -1; it must be above 0
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = {1, -1}}, mass = {rhoA = 1, J = {1, 1, 1}} }
