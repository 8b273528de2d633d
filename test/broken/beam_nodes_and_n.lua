-- expect 2: beam 'rod': with nodes, from, to, n
beam { name = 'rod', nodes = {{0, 0, 0}, {1, 0, 0}}, n = 1, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
