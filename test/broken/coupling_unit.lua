-- expect 2: coupling 'g': unit is 'mm'; it must be 1, m/rad or rad/m
coupling { name = "g", joints = {"j", "j"}, ratio = 1, unit = "mm" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
