-- Flexible slider-crank of a few modes: the twin of flexible_slider_crank, whose rod is one geometrically exact beam.
--
-- The frame of the rod stands at the crank pin and follows the chord, its modes are those of a simply supported beam; it starts straight.
-- bow is the deflection of its middle from the chord, over its length. Its first peak, with and without (--set stiffening=0) the
-- stiffness that axial forces give:
--   geometrically exact beam  1.5422e-2 at 0.1296 of a turn
--   modes, another program    1.5495e-2 at 0.1295; without 1.8856e-2 at 0.1345, and 1.84085e-2 after 1/8 turn (sine modes)
model "flexible slider-crank, modal"

local n = math.floor(param("n", 10))
local r, l, w = 0.15, 0.3, 150                             -- m, m, rad/s
local d, E, rho = 0.006, 2e11, 7870
local A, I = math.pi * d^2 / 4, math.pi * d^4 / 64
local G = E / 2.6

body     { name = "crank", mass = 0.1, inertia = {1e-5, 1e-3, 1e-3}, position = {r / 2, 0, 0}, velocity = {0, w * r / 2, 0},
           omega = {0, 0, w} }
body     { name = "slider", mass = 0.033, inertia = {1e-5, 1e-5, 1e-5}, position = {r + l, 0, 0}, velocity = {0, 0, 0},
           omega = {0, 0, 0} }
flexible { name = "rod", beam = { from = {r, 0, 0}, to = {r + l, 0, 0}, n = n, section = {EA = E * A, GJ = 2 * G * I, EI = E * I},
                                  mass = {rhoA = rho * A, J = {2 * rho * I, rho * I, rho * I}} },
           interfaces = { wrist = n }, modes = { type = "pinned", n = math.floor(param("modes", 10)) },
           geometric_stiffness = param("stiffening", 1) ~= 0, velocity = {0, w * r, 0}, omega = {0, 0, -w * r / l} }

joint { name = "shaft", type = "revolute", bodies = {"ground", "crank"}, at = {0, 0, 0}, axis = {0, 0, 1},
        drive = function(t) return w * t end }
joint { name = "pin", type = "spherical", bodies = {"crank", "rod"}, at = {r, 0, 0} }
joint { name = "wrist", type = "universal", bodies = {"slider", "rod.wrist"}, at = {r + l, 0, 0}, axis_a = {0, 0, 1}, axis_b = {0, 1, 0} }
joint { name = "rail", type = "prismatic", bodies = {"ground", "slider"}, at = {r + l, 0, 0}, axis = {1, 0, 0} }

sensor{ name = "bow", custom = function(t, s)
            local a, b, m = s.rod.position, s["rod.wrist"].position, s["rod." .. n // 2].position
            local x, y = b.x - a.x, b.y - a.y
            return (x * (m.y - a.y) - y * (m.x - a.x)) / math.sqrt(x^2 + y^2) / l
        end }
sensor{ name = "slider", type = "position", body = "slider" }
sensor{ name = "torque", type = "reaction", joint = "shaft" }

run   { t_end = 2 * math.pi / w, h = 1e-5, rho = 0.9, formulation = "ggl", every = 10 }
