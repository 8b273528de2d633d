-- expect 2: there is no color 'grean'; did you mean 'green'?
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, color = "grean"} }
