-- expect 2: beam 'rod': n is 0; it must be a whole number from 1
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 0, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
