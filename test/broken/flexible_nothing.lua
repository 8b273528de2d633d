-- expect 2: has no elements
flexible{ name = "rod", modes = {n = 2} }
