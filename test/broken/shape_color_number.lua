-- expect 2: color must be a word, "#rrggbb" or {r, g, b}, not a number
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, color = 7} }
