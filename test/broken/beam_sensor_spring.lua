-- expect 4: sensor 's': 'k' is not a beam element
beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}} }
spring { name = 'k', bodies = {'rod.0', 'rod.1'}, k = 1 }
sensor { name = 's', type = 'section_force', beam_element = 'k' }
