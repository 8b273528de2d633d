-- expect 2: shape is the section of a beam: a box, cylinder or tube, not a sphere
beam { name = "b", from = {0,0,0}, to = {1,0,0}, n = 2, section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}}, shape = {sphere = 1} }
