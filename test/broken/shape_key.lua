-- expect 2: shape has no 'boxx'; did you mean 'box'?
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {boxx = {1, 1, 1}} }
