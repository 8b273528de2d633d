-- expect 4: joint 'j': there is no body 'tpo'; did you mean 'top'?
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {0, 0, 0} }
joint { name = "j", type = "fixed", bodies = {"ground", "tpo"} }
