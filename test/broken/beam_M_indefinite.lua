-- expect 2: beam 'rod': M is not positive definite
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, M = {1, 1, 1, 1, 1, 0} }
