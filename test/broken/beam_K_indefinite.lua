-- expect 2: beam 'rod': K is not positive definite
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, K = {{2, 0, 0, 0, 0, 3}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {3, 0, 0, 0, 0, 2}}, mass = {rhoA = 1, J = {1, 1, 1}} }
