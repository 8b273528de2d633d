-- expect 3: axis[1] is infinite
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {1/0, 0, 0} }
