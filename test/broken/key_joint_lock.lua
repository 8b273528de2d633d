-- expect 3: joint 'pivot': no key 'lck' in a generic joint; did you mean 'lock'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "generic", at = {0, 0, 0}, lck = {0, 0, 1} }
