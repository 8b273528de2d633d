-- expect 2: sensor 'e': there is no actuator, coupling or joint 'm'
sensor { name = "e", type = "effort", of = "m" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
