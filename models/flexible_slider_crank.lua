-- Flexible slider-crank: the crank turns at 150 rad/s, and a thin steel rod bends under its own inertia.
--
-- Rod: round, 6 mm, E = 2e11, 7870 kg/m^3, one elastic beam. Crank angle 150 t; the rod starts straight, moving as a rigid
-- body. bow is the deflection of its middle from the chord, over its length, positive to the left of the way from crank to
-- slider; its first peak is what the axial force of the moving masses limits: bending alone would give 1.886e-2.
-- Reference (geometrically exact, pins by penalty, 8 elements, 16000 steps a turn): 1.5422e-2 at 0.1296 of a turn.
model "flexible slider-crank"

local n = math.floor(param("n", 8))
local r, l, w = 0.15, 0.3, 150                             -- m, m, rad/s
local d, E, rho = 0.006, 2e11, 7870
local A, I = math.pi * d^2 / 4, math.pi * d^4 / 64
local G = E / 2.6

body  { name = "crank", mass = 0.1, inertia = {1e-5, 1e-3, 1e-3}, position = {r / 2, 0, 0}, velocity = {0, w * r / 2, 0},
        omega = {0, 0, w} }
body  { name = "slider", mass = 0.033, inertia = {1e-5, 1e-5, 1e-5}, position = {r + l, 0, 0}, velocity = {0, 0, 0},
        omega = {0, 0, 0} }
beam  { name = "rod", from = {r, 0, 0}, to = {r + l, 0, 0}, n = n, mass_model = "helicoidal", rbf = true,
        section = {EA = E * A, GA = 0.9 * G * A, GJ = 2 * G * I, EI = E * I},
        mass = {rhoA = rho * A, J = {2 * rho * I, rho * I, rho * I}},
        velocity = {0, w * r, 0}, omega = {0, 0, -w * r / l} }

joint { name = "shaft", type = "revolute", bodies = {"ground", "crank"}, at = {0, 0, 0}, axis = {0, 0, 1},
        drive = function(t) return w * t end }
joint { name = "pin", type = "revolute", bodies = {"crank", "rod.0"}, at = {r, 0, 0}, axis = {0, 0, 1} }
joint { name = "wrist", type = "revolute", bodies = {"rod." .. n, "slider"}, at = {r + l, 0, 0}, axis = {0, 0, 1} }
joint { name = "rail", type = "prismatic", bodies = {"ground", "slider"}, at = {r + l, 0, 0}, axis = {1, 0, 0} }

sensor{ name = "bow", custom = function(t, s)
            local a, b, m = s["rod.0"].position, s["rod." .. n].position, s["rod." .. n // 2].position
            local x, y = b.x - a.x, b.y - a.y
            return (x * (m.y - a.y) - y * (m.x - a.x)) / math.sqrt(x^2 + y^2) / l
        end }
sensor{ name = "slider", type = "position", body = "slider" }
sensor{ name = "torque", type = "reaction", joint = "shaft" }
sensor{ name = "middle", type = "section_force", beam_element = "rod." .. n // 2 }

run   { t_end = 2 * math.pi / w, h = 1e-5, space = "SE3", rho = 0.9, formulation = "ggl", every = 10 }
