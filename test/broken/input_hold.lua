-- expect 2: input 'u': hold cannot be 'ramp'; there are: linear, step
input { name = "u", hold = "ramp" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
