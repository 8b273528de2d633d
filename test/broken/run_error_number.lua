-- expect 2: 42
error(42)
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
