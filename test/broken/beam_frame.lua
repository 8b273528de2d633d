-- expect 2: beam 'rod': frame, the second axis of the section, is parallel to the beam
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, frame = {2, 0, 0}, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
