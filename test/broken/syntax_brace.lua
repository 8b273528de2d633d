-- expect 3: '}' expected (to close '{' at line 2) near the end of the file
body { name = "a", mass = 1, inertia = {1, 1, 1}
