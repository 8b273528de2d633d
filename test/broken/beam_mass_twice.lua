-- expect 2: beam 'rod': M and another key give the same thing; keep one of them
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, M = {1, 1, 1, 1, 1, 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
