-- expect 2: beam 'rod': section is missing
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, mass = {rhoA = 1, J = {1, 1, 1}} }
