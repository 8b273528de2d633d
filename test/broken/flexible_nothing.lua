-- expect 2: says nothing of its elements
flexible{ name = "rod", modes = {n = 2} }
