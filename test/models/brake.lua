-- A slider on a level rail that friction brings to rest at t = v/(mu g), x = v^2/(2 mu g).
model "slider that brakes"

local v  = param("v", 1)
local mu = param("mu", 0.3)
local ws = param("ws", 1e-3)   -- speed below which friction is smooth

gravity {0, 0, -9.81}
body   { name = "slider", mass = 2, inertia = {0.02, 0.02, 0.02}, velocity = {v, 0, 0} }
joint  { name = "rail", type = "prismatic", bodies = {"ground", "slider"}, axis = {1, 0, 0}, friction = mu,
         friction_speed = ws }
sensor { name = "x", type = "joint_position", joint = "rail" }
run    { t_end = 0.6, h = 1e-2 }
