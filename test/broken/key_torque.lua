-- expect 3: no key 'freme' in a torque; did you mean 'frame'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
torque { body = "a", value = {0, 0, 1}, freme = 1 }
