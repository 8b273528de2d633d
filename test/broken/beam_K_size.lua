-- expect 2: beam 'rod': K must be 6 numbers or 6 rows of 6 numbers
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, K = {1, 1, 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
