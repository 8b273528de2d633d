-- expect 2: actuator 'm': coordinate cannot be 'rw'; there are: x, y, z, rx, ry, rz
actuator { name = "m", joint = "j", k = 1, coordinate = "rw" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
