-- expect 3: at_world and another key give the same thing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { body = "a", value = {1, 0, 0}, at = {0, 0, 0}, at_world = {0, 0, 0} }
