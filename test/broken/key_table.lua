-- expect 2: a value without a key
body { name = "a", mass = 1, inertia = {1, 1, 1}, [{}] = 1 }
