-- Six links that fall and swing, with friction in every joint: hinges (ball 0), or balls (ball 1) pushed sideways.
model "chain with rough joints"

local ball = param("ball", 0)
local ws   = param("ws", 1e-3)

gravity {0, 0, -9.81}
local before = "ground"
for i = 1, 6 do
  local name = "link" .. i
  body  { name = name, mass = 1, inertia = {1e-3, 0.01, 0.01}, position = {0.4*i - 0.2, 0, 0} }
  joint { name = "pin" .. i, type = ball == 1 and "spherical" or "revolute", bodies = {before, name},
          at = {0.4*(i - 1), 0, 0}, axis = ball == 0 and {0, 1, 0} or nil, friction = 0.3, friction_radius = 0.02,
          friction_speed = ws }
  before = name
end
force { name = "push", body = "link6", value = {0, 2*ball, 0} }
run   { t_end = 20, h = 1e-2 }
