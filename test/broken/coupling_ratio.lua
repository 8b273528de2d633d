-- expect 2: coupling 'g': a ratio of 0 couples nothing
coupling { name = "g", joints = {"j", "j"}, ratio = 0 }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
