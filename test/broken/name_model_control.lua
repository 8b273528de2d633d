-- expect 2: the name has a control character
model "bell\a"
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
