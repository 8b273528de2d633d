-- expect 2: beam 'rod': M: its first 3x3 block must be a mass times the identity
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, M = {1, 2, 1, 1, 1, 1} }
