-- expect 2: beam 'rod': nodes must be a list, of two or more
beam { name = 'rod', nodes = {{0, 0, 0}}, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
