-- expect 4: sensor 's': there is no joint 'pivt'; did you mean 'pivot'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
sensor { name = "s", type = "angle", joint = "pivt" }
