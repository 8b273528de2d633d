-- Slider-crank with a flexible rod of a few modes; the crank turns at 150 rad/s, the rod bends by 1.5 % of its length.
--
-- Crank 0.15 m, rod 0.3 m, 6 mm round steel, slider 33 g. The frame of the rod stands at the crank pin and follows the chord; its modes
-- are those of a simply supported beam, straight and without velocity at first. y is the deflection of the middle over the length, and
-- turns counts turns of the crank. References, largest y of the first turn: geometrically exact beam 1.5422e-2 at 0.1296 turns;
-- modes with the stiffness of axial forces 1.5495e-2 at 0.1295, without (--set stiffening=0) 1.88e-2.
model "flexible slider-crank, modal"

local r, l, w = 0.15, 0.3, 150
local E, rho, d = 2e11, 7870, 6e-3
local A, I = math.pi * d^2 / 4, math.pi * d^4 / 64

body     { name = "crank", mass = 0.1, inertia = {1e-4, 1e-4, 1e-4}, position = {0, 0, 0}, omega = {0, 0, w} }
flexible { name = "rod", beam = { from = {r, 0, 0}, to = {r + l, 0, 0}, n = 10,
                                  section = {EA = E * A, GJ = E * I / 1.3, EI = E * I}, mass = {rhoA = rho * A, J = {2 * rho * I, rho * I, rho * I}} },
           interfaces = { pin = 10 }, modes = { type = "pinned", n = 4 },
           velocity = {0, r * w, 0}, omega = {0, 0, -r * w / l}, geometric_stiffness = param("stiffening", 1) ~= 0 }
body     { name = "slider", mass = 0.033, inertia = {1e-5, 1e-5, 1e-5}, position = {r + l, 0, 0} }

joint { name = "shaft", type = "revolute", bodies = {"ground", "crank"}, at = {0, 0, 0}, axis = {0, 0, 1},
        drive = function(t) return w * t end }
joint { name = "A", type = "spherical", bodies = {"crank", "rod"}, at = {r, 0, 0} }
joint { name = "B", type = "universal", bodies = {"slider", "rod.pin"}, at = {r + l, 0, 0}, axis_a = {0, 0, 1}, axis_b = {0, 1, 0} }
joint { name = "guide", type = "prismatic", bodies = {"ground", "slider"}, at = {r + l, 0, 0}, axis = {1, 0, 0} }

sensor{ name = "y", custom = function(t, s)
            local p, q, m = s.rod.position, s["rod.pin"].position, s["rod.5"].position
            local ex, ey = (q.x - p.x) / l, (q.y - p.y) / l
            return (ex * (m.y - p.y) - ey * (m.x - p.x)) / l
        end }
sensor{ name = "turns", custom = function(t) return w * t / (2 * math.pi) end }
sensor{ name = "pin", type = "reaction", joint = "B" }

run   { t_end = 2 * math.pi / w, h = 2 * math.pi / w / 2000, rho = 0.9, every = 10 }
