-- expect 2: beam 'rod': damping is -1; it must not be negative
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}}, damping = -1 }
