-- expect 2: beam 'rod': M: rows 1 to 3, columns 4 to 6 must be -m tilde(c), skew
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, M = {{1, 0, 0, 0.1, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0.1, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}} }
