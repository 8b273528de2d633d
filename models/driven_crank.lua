-- Driven crank: a plane slider-crank whose crank turns as a function of time says; what torque does it take?
--
-- phi(t) = turns (2 pi t - sin 2 pi t): the crank starts at rest and rests again after each second. No degree
-- of freedom is left: positions and velocities are exact up to the constraints.
-- Reference, from phi alone: slider at r cos phi + sqrt(l^2 - r^2 sin^2 phi), and by virtual work the torque
-- I phi'' + I'/2 phi'^2 + V', where I(phi) phi'^2/2 is the kinetic and V(phi) the potential energy:
--   t = 0.25   phi = 0.57079632679489662   s = 0.37924154807741577   sdot = -0.43628628327269182
--              torque  2.0179516316870441
--   t = 0.6    phi = 4.3576964366002250    s = 0.25023678687830195   sdot =  0.93598247509533052
--              torque  0.89726562278334275
model "driven slider-crank"

local r, l  = param("crank", 0.1), param("rod", 0.3)       -- m
local turns = param("turns", 1)                            -- per second
local m1, m2, m3 = 0.5, 1.0, 2.0                           -- crank, rod, slider, kg
local w = 0.02                                             -- section w x w of crank and rod

local function inertia(m, a) return {m * w^2 / 6, m * (a^2 + w^2) / 12, m * (a^2 + w^2) / 12} end
local function phi(t) return turns * (2 * math.pi * t - math.sin(2 * math.pi * t)) end

-- At t = 0 all lies stretched out along x. The bodies' velocities follow from the drive.
gravity {0, -9.81, 0}
body  { name = "crank", mass = m1, inertia = inertia(m1, r), position = {r / 2, 0, 0} }
body  { name = "rod", mass = m2, inertia = inertia(m2, l), position = {r + l / 2, 0, 0} }
body  { name = "slider", mass = m3, inertia = {1e-3, 1e-3, 1e-3}, position = {r + l, 0, 0} }

-- Joints that leave the plane free of redundant conditions: 5 + 1 + 3 + 4 + 5 = 18.
joint { name = "motor", type = "revolute", bodies = {"ground", "crank"}, at = {0, 0, 0}, axis = {0, 0, 1},
        drive = phi }
joint { name = "crank_pin", type = "spherical", bodies = {"crank", "rod"}, at = {r, 0, 0} }
joint { name = "wrist_pin", type = "universal", bodies = {"slider", "rod"}, at = {r + l, 0, 0},
        axis_a = {0, 0, 1}, axis_b = {0, 1, 0} }
joint { name = "guide", type = "prismatic", bodies = {"ground", "slider"}, at = {r + l, 0, 0},
        axis = {1, 0, 0} }

sensor{ name = "phi", type = "angle", joint = "motor" }
sensor{ name = "s", type = "position", body = "slider" }             -- (s, 0, 0)
sensor{ name = "sdot", type = "rate", joint = "guide" }
sensor{ name = "torque", type = "reaction", joint = "motor" }       -- the last of its six numbers drives

run   { t_end = 1.0, h = 1e-3, sigma = 1, rho = 0.9, formulation = "ggl" }
