-- expect 2: beam 'rod': an element turns by 4.71 rad; the limit is 2.5; use more elements
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 1, tangent = {-1, 1, 0}, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
