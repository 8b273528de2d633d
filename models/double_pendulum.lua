-- Double pendulum: two uniform rods on hinges, swinging far; chaotic in the long run, conservative always.
--
-- Angles from the downward vertical, positive towards +x.
-- Reference (Lagrange's equations in both angles, extrapolation with 34 digits):
--   t = 1   tip = -1.5647799211613041  0 -1.1261522868031848   swing1 = -2.7163280013234219
--   t = 2   tip = -0.87298181798067355 0 -1.6031920303045213   swing1 = -1.5777583459282053
-- The energy stays at 2.8887115117174615 J: with rho = 1 its error is bounded, with less it falls.
model "double pendulum"

local l1, l2 = param("l1", 1.0), param("l2", 1.0)          -- m
local m1, m2 = param("m1", 1.0), param("m2", 1.0)          -- kg
local angle1, angle2 = param("angle1", 1.5), param("angle2", 2.5)
local w = 0.05                                             -- section w x w of a rod

-- A rod hangs along its own -z axis from `top`; turning by the angle about -y lifts its end towards +x.
local axis = {0, -1, 0}
local function rod(name, m, l, top, angle)
    local s, c = math.sin(angle), math.cos(angle)
    body { name = name, mass = m, inertia = {m * (l^2 + w^2) / 12, m * (l^2 + w^2) / 12, m * w^2 / 6},
           position = {top[1] + l / 2 * s, 0, top[3] - l / 2 * c}, rotation = {axis = axis, angle = angle} }
    return {top[1] + l * s, 0, top[3] - l * c}
end

gravity {0, 0, -9.81}
local elbow = rod("upper", m1, l1, {0, 0, 0}, angle1)
rod("lower", m2, l2, elbow, angle2)
joint { name = "shoulder", type = "revolute", bodies = {"ground", "upper"}, at = {0, 0, 0}, axis = axis }
joint { name = "elbow", type = "revolute", bodies = {"upper", "lower"}, at = elbow, axis = axis }

sensor{ name = "tip", type = "position", body = "lower", at = {0, 0, -l2 / 2} }
sensor{ name = "swing1", type = "angle", joint = "shoulder" }       -- since t = 0
sensor{ name = "swing2", type = "angle", joint = "elbow" }          -- relative to the upper rod, since t = 0
sensor{ name = "energy", type = "energy" }

run   { t_end = 2.0, h = 1e-3, sigma = 1, rho = 1, formulation = "ggl" }
