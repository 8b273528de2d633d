-- expect 2: state 'x': rate is missing
state { name = "x" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
