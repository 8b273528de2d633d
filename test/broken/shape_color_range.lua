-- expect 2: color[2] is 2; it must be from 0 to 1
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, color = {0, 2, 0}} }
