-- Andrews' squeezing mechanism: seven bodies, three loops, a fast motor; the classical test of DAE codes.
--
-- Origin: W. Schiehlen (ed.), Multibody Systems Handbook (1990); E. Hairer, G. Wanner, Solving Ordinary
-- Differential Equations II, VII.7; Test Set for IVP Solvers. Points and angles have the names used there.
-- Reference (its seven angles, extrapolation with 25 digits; the Test Set agrees to 1.2e-9 in beta):
--   t = 0.03   beta  = 15.872485085168     gamma   = -0.414457579043425
--              delta = 0.037044986336112   epsilon = -0.182466703507883
--              speed = 1139.92030225911    E = -0.0349216183953031 -0.0022408410821267 0
model "Andrews' squeezing mechanism"

local M = param("torque", 0.033)                           -- of the motor in O, N m
local k, rest = param("k", 4530.0), 0.07785                -- of the spring from C to D, N/m and m

-- Angles at t = 0; at rest. The motor has turned the crank by beta, its coupler is in line with it.
local beta, gamma = -0.0617138900142764496, 0.455279819163070380
local delta, epsilon = 0.487364979543842550, 1.23054744454982119
local phi, omega = 0.222668390165885885, -0.222668390165885885

-- A point given in a frame that is turned by an angle and has its origin in p.
local function at(p, angle, x, y)
    local c, s = math.cos(angle), math.sin(angle)
    return {p[1] + x * c - y * s, p[2] + x * s + y * c, 0}
end
-- A body turned by an angle, its centre of mass at x, y in that frame. Only the inertia about z matters. Pictures show
-- bars between the points that follow, which are in that frame too, each body in a layer of its own.
local layer = 0
local function link(name, m, J, p, angle, x, y, ...)
    local points, bars = {...}, {}
    layer = layer + 1
    for i = 2, #points do
        local a, b = points[i - 1], points[i]
        local u, v = b[1] - a[1], b[2] - a[2]
        bars[i - 1] = { box = {math.sqrt(u^2 + v^2) + 0.003, 0.003, 0.0012},
                        at = {(a[1] + b[1])/2 - x, (a[2] + b[2])/2 - y, 0.0015 * (layer - 4)},
                        rotation = {axis = {0, 0, 1}, angle = math.atan(v, u)} }
    end
    body { name = name, mass = m, inertia = {J, J, J}, position = at(p, angle, x, y),
           rotation = {axis = {0, 0, 1}, angle = angle}, shape = bars }
end
local function hinge(name, first, second, p)
    joint { name = name, type = "revolute", bodies = {first, second}, at = p, axis = {0, 0, 1} }
end
-- Closes a loop of parallel hinges without repeating what the others impose: two conditions instead of five.
local function pin(name, first, second, p)
    joint { name = name, type = "generic", bodies = {first, second}, at = p, lock = {"x", "y"} }
end

local O, A, B, C = {0, 0, 0}, {-0.06934, -0.00227, 0}, {-0.03635, 0.03273, 0}, {0.014, 0.072, 0}
local F = at(O, beta, 0.007, 0)
local E = at(F, beta, -0.028, 0)
local G = at(A, delta, 0.04, 0)
local H = at(A, epsilon, 0, -0.04)

gravity {0, 0, 0}
link("K1", 0.04325, 2.194e-6, O, beta, 0.00092, 0, {0, 0}, {0.007, 0})      -- crank OF
link("K2", 0.00365, 4.410e-7, F, beta, -0.0115, 0, {0, 0}, {-0.028, 0})     -- FE
link("K3", 0.02373, 5.255e-6, B, gamma, 0.01043, -0.01874, {0, 0}, {0.02, -0.018}, {0, -0.035}, {0, 0}) -- triangle BDE
link("K4", 0.00706, 5.667e-7, G, delta + phi, 0, -(0.02 - 0.01421), {0, 0}, {0, -0.02}) -- GE
link("K5", 0.07050, 1.169e-5, A, delta, 0.02308, 0.00916, {0, 0}, {0.04, 0}) -- AG
link("K6", 0.00706, 5.667e-7, H, epsilon + omega, 0.02 - 0.01421, 0, {0, 0}, {0.02, 0}) -- HE
link("K7", 0.05498, 1.912e-5, A, epsilon, -0.00449, -0.01228, {0, 0}, {0, -0.04}) -- AH

hinge("O", "ground", "K1", O)
hinge("F", "K1", "K2", F)
hinge("B", "ground", "K3", B)
hinge("A5", "ground", "K5", A)
hinge("G", "K5", "K4", G)
hinge("A7", "ground", "K7", A)
hinge("H", "K7", "K6", H)
pin("E3", "K3", "K2", E)
pin("E4", "K4", "K2", E)
pin("E6", "K6", "K2", E)

torque { name = "motor", body = "K1", value = {0, 0, M} }
spring { name = "spring", bodies = {"ground", "K3"}, at_a = C, at_b = {0.02 - 0.01043, -0.018 + 0.01874, 0},
         k = k, length = rest }

sensor { name = "beta", type = "angle", joint = "O" }       -- angles since t = 0
sensor { name = "gamma", type = "angle", joint = "B" }
sensor { name = "delta", type = "angle", joint = "A5" }
sensor { name = "epsilon", type = "angle", joint = "A7" }
sensor { name = "speed", type = "rate", joint = "O" }
sensor { name = "E", type = "position", body = "K2", at = {-0.028 + 0.0115, 0, 0} }

run    { t_end = 0.03, h = 1e-5, sigma = 1, rho = 0.8, formulation = "ggl" }
