-- expect 2: beam 'rod': there are 2 nodes and 3 rotations
beam { name = 'rod', nodes = {{0, 0, 0}, {1, 0, 0}}, rotations = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
