-- expect 3: '}' expected
body { name = "a"
  mass = 1, inertia = {1, 1, 1} }
