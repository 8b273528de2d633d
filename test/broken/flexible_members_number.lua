-- expect 2: nodes of members[1] must be two points
flexible{ name = "rod", modes = {n = 2}, points = {{0, 0, 0}, {1, 0, 0}}, members = {{nodes = {1, 1}, n = 2, section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}}} }
