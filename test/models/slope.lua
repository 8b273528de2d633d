-- A block on a rough slope; it rests while tan(angle) < mu.
model "block on a slope"

local a  = param("angle", 20)*math.pi/180
local mu = param("mu", 0.5)

gravity {0, 0, -9.81}
body   { name = "block", mass = 3, inertia = {0.03, 0.03, 0.03} }
joint  { name = "slope", type = "prismatic", bodies = {"ground", "block"}, axis = {math.cos(a), 0, -math.sin(a)},
         friction = mu }
sensor { name = "x", type = "joint_position", joint = "slope" }
run    { t_end = 100, h = 1e-2 }
