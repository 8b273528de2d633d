-- expect 2: points and members belong together
flexible{ name = "rod", points = {{0, 0, 0}, {1, 0, 0}}, modes = {n = 2} }
