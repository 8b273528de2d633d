-- An inverted pendulum on a cart, held upright by state feedback, after a push.
-- The gains place the eigenvalues of the linear system at -3, -4 and -2 +- 2 i; A and B are those of
-- `polhode linearise models/cart_pendulum.lua --set on=0`, and agree with
--   (M + m) x'' + m l f'' = u,   (J + m l^2) f'' + m l x'' = m g l f.
-- Reference: `polhode linearise models/cart_pendulum.lua` has these eigenvalues, to nine digits.
model "cart and pendulum"
local M, m, l, J, g = 2.0, 0.5, 0.4, 0.03, 9.81
local on = param("on", 1)
gravity {0, 0, -g}

-- gains by Bass and Gura's formula, from the coefficients of both characteristic polynomials
local det = (M + m)*(J + m*l^2) - (m*l)^2
local a21, a41 = -(m*l)^2*g/det, (M + m)*m*g*l/det   -- x'' and f'' by f
local b2, b4 = (J + m*l^2)/det, -m*l/det             -- and by u
-- (s + 3)(s + 4)((s + 2)^2 + 4) = s^4 + 11 s^3 + 48 s^2 + 104 s + 96
local c3, c2, c1, c0 = 11, 48, 104, 96
local r = a21*b4 - a41*b2
local kx, kv = c0/r, c1/r
local kf, kw = (c2 + a41 - kx*b2)/b4, (c3 - kv*b2)/b4

body { name = "cart", mass = M, inertia = {0.1, 0.1, 0.1}, shape = { box = {0.3, 0.2, 0.12}, color = "blue" } }
ground { shape = { box = {1, 0.04, 0.03}, at = {0, 0, -0.1}, color = "silver" } }
body { name = "pole", mass = m, inertia = {0.02, J, 0.01}, position = {0, 0, l},
       shape = { { cylinder = {0.012, 0.8}, color = "silver" }, { sphere = 0.05, at = {0, 0, 0.4}, color = "orange" } } }
joint { name = "rail", type = "prismatic", bodies = {"ground", "cart"}, axis = {1, 0, 0} }
joint { name = "pivot", type = "revolute", bodies = {"cart", "pole"}, at = {0, 0, 0}, axis = {0, 1, 0} }
input { name = "push", unit = "N" }
actuator { name = "motor", joint = "rail", effort = function(t, s)
    local x, f = s.joints.rail, s.joints.pivot
    return s.inputs.push - on*(kx*x.position + kv*x.rate + kf*f.position + kw*f.rate)
end }
torque { body = "pole", value = function(t) return 0, t < 0.1 and 0.5 or 0, 0 end }
sensor { name = "cart", type = "joint_position", joint = "rail" }
sensor { name = "tilt", type = "joint_position", joint = "pivot" }
sensor { name = "largest_tilt", type = "joint_position", joint = "pivot", over_time = "max_abs" }
run { t_end = 5, h = 2e-3 }
