-- expect 2: beam 'rod': mass_model cannot be 'consistent'
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, M = {1, 1, 1, 1, 1, 1}, mass_model = "consistent" }
