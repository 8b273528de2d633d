-- expect 2: members[1] ends at point 2; points are from 0 to 1
flexible{ name = "rod", points = {{0, 0, 0}, {1, 0, 0}}, modes = {n = 2}, members = {{nodes = {0, 2}, n = 2, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}}} }
