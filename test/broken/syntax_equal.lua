-- expect 2: unexpected symbol near '='
body { name = "a", mass = = 1 }
