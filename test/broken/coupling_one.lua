-- expect 2: coupling 'g': joints must be a list of the names of two joints
coupling { name = "g", joints = {"j"}, ratio = 1 }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
