-- expect 3: joint 'pivot': no key 'drvie' in a revolute joint; did you mean 'drive'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "pivot", bodies = {"ground", "a"}, type = "revolute", at = {0, 0, 0}, axis = {0, 0, 1}, drvie = {0, 0, 1} }
