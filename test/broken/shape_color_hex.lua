-- expect 2: must be "#" and six hexadecimal digits
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, color = "#12345g"} }
