-- expect 3: joint 'j': there is no body 'rod.3'
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
joint { name = 'j', type = 'fixed', bodies = {'ground', 'rod.3'} }
