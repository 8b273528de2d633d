-- Rolling disc: a thin disc rolls without slip on a circle, leaning inwards; non-holonomic.
--
-- The disc makes the angle lean with the ground. Its centre goes round a circle of radius R at the rate w,
--   w^2 = 4 g cos(lean) / (sin(lean) (6 R + r cos(lean))),
-- turning by -w R/r about its axle: the steady motion of Euler's equations with C = 2A = m r^2/2.
-- Reference, exact: the centre stays on (R cos wt, R sin wt, r sin(lean)); energy is constant.
--   w = 1.5298179982737136, period 4.1071456305715425, energy 9.0880433645408555
-- With push = 0.5 it wobbles. Reference (the same equations, extrapolation with 34 digits):
--   t = 1   centre  0.18443161191136003 1.1260876816195848  0.2851803876098078
--   t = 2   centre -0.98536937585846452 0.38373416110446463 0.28755694437503559   energy 9.1161683645408555
model "rolling disc"

local r    = param("r", 0.3)                               -- radius of the disc, m
local R    = param("R", 1.0)                               -- of the circle of its centre, m
local lean = param("lean", math.rad(70))
local push = param("push", 0)                              -- rate of the lean at t = 0, rad/s
local m, g = 2.0, 9.81

local s, c = math.sin(lean), math.cos(lean)
local w    = math.sqrt(4 * g * c / (s * (6 * R + r * c)))
local spin = -w * R / r                                    -- about the axle

-- At t = 0 the centre is at x = R and the disc touches the ground in P. The body's axes are the tangent
-- (0, 1, 0), the ascent (-c, 0, s) and the axle (s, 0, c); the centre moves with omega x (its place above P).
local P = {R + r * c, 0, 0}
local A = m * r^2 / 4

gravity {0, 0, -g}
body  { name = "disc", mass = m, inertia = {A, A, 2 * A}, position = {R, 0, r * s},
        rotation = {matrix = {{0, -c, s}, {1, 0, 0}, {0, s, c}}},
        omega = {push, w * s, spin}, velocity = {push * r * s, -spin * r, push * r * c} }
joint { name = "contact", type = "rolling", bodies = {"ground", "disc"}, at = P, normal = {0, 0, 1},
        axis = {s, 0, c}, radius = r }

sensor{ name = "centre", type = "position", body = "disc" }
sensor{ name = "omega", type = "omega", body = "disc" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 2.0, h = 1e-3, sigma = 1, rho = 0.9, formulation = "ggl" }
