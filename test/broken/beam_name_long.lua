-- expect 2: the name is too long: with .0 it has 64 characters; the limit is 63
beam { name = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
