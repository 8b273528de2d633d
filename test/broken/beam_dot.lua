-- expect 3: body 'rod.7': name 'rod.7' may only have letters (a-z, A-Z), digits, '_' and '-'
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
body { name = 'rod.7', mass = 1, inertia = {1, 1, 1} }
