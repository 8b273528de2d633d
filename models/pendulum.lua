-- Planar pendulum of unit mass and length: shows the transient of the multiplier that a plain start leaves.
--
-- Origin: M. Arnold, O. Bruls, A. Cardona, Numer. Math. 129 (2015), Example 1: energy 1/2 - 9.81, y < 0.
-- Reference (x = sin a, a'' = -9.81 sin a; Jacobi's elliptic functions, 30 digits), x0 = 0.2:
--   t = 1   x = -0.19266398695038891   xdot = -0.78034626970441132   tension 10.258622770279388
--   t = 2   x =  0.18514897939238852   xdot =  0.79882894764422462   tension 10.301168946159245
-- The tension, adot^2 + 9.81 cos a, is the multiplier of the rod. Its largest error on [0, 2] at h = 0.02,
-- rho = 0.9, index-3: 2.476e-1 with the plain start, 3.989e-3 with the perturbed one.
model "pendulum"

local x0 = param("x0", 0.2)
local g = 9.81
local a = math.asin(x0)
local speed = math.sqrt(1 - 2 * g * (1 - math.cos(a)))     -- speed^2/2 - g cos a = 1/2 - g

gravity {0, -g, 0}
particle { name = "bob", mass = 1, position = {math.sin(a), -math.cos(a), 0},
           velocity = {speed * math.cos(a), speed * math.sin(a), 0} }
joint { name = "rod", type = "distance", bodies = {"ground", "bob"}, at_a = {0, 0, 0}, at_b = {0, 0, 0},
        length = 1 }
joint { name = "plane", type = "generic", bodies = {"ground", "bob"}, at = {math.sin(a), -math.cos(a), 0},
        lock = {"z"} }

sensor{ name = "x", type = "position", body = "bob" }
sensor{ name = "v", type = "velocity", body = "bob" }
sensor{ name = "tension", type = "reaction", joint = "rod" }

run   { t_end = 2.0, h = 0.02, rho = 0.9, formulation = "index3", start = "perturbed" }
