-- expect 3: frame is not orthogonal
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "generic", bodies = {"ground", "a"}, at = {0, 0, 0}, lock = {"x"}, frame = {matrix = {{1, 1, 0}, {0, 1, 0}, {0, 0, 1}}} }
