-- expect 2: shape: there is no marker 'tup'; did you mean 'tip'?
flexible { name = "rod", interfaces = {tip = 4}, modes = {type = "clamped", n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 2e7, GJ = 135, EI = 175}, mass = {rhoA = 0.785, rhoJ = 1e-5}}, shape = {sphere = 0.1, marker = "tup"} }
