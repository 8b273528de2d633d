-- A rod on a hinge, a little off its upright position: it falls unless something holds it.
model "upright rod"

gravity {0, 0, -9.81}
local tilt = 0.2 -- rad
body  { name = "rod", mass = 2, inertia = {0.17, 0.17, 0.002}, position = {0, -0.5*math.sin(tilt), 0.5*math.cos(tilt)},
        rotation = {axis = {1, 0, 0}, angle = tilt} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "rod"}, at = {0, 0, 0}, axis = {1, 0, 0} }
run   { t_end = 4, h = 2e-3 }
