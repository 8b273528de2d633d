-- expect 2: beam 'rod': rbf needs a section without coupling
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, rbf = true, K = {{2, 0, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 2}}, mass = {rhoA = 1, J = {1, 1, 1}} }
