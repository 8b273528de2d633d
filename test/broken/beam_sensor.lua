-- expect 3: sensor 's': there is no beam element 'rod.3'; did you mean 'rod.1'?
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
sensor { name = 's', type = 'section_force', beam_element = 'rod.3' }
