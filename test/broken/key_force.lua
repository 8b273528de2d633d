-- expect 3: no key 'fram' in a force; did you mean 'frame'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { body = "a", value = {0, 0, 1}, fram = 1 }
