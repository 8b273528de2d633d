-- expect 2: beam 'rod': section must be a table in braces, not a number
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = 7, mass = {rhoA = 1, J = {1, 1, 1}} }
