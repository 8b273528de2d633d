-- A four-bar linkage with rough hinges whose weight presses across its plane too: 3 of 20 conditions are redundant, and
-- how the hinges share that weight, which friction depends on, changes with the position.
model "rough loop"

local a, b = param("crank", 0.2), param("coupler", 0.5)    -- lengths, m
local c, d = param("rocker", 0.4), param("ground", 0.6)
local mu, lever = param("friction", 0.3), param("lever", 0.04)
local density, speed = param("density", 2), param("speed", 6)
local phi, w = 1.2, 0.02

local A, D = {0, 0, 0}, {d, 0, 0}
local B = {a * math.cos(phi), a * math.sin(phi), 0}
local x, y = D[1] - B[1], D[2] - B[2]
local e = (x^2 + y^2 + b^2 - c^2) / 2 / (x^2 + y^2)
local h = math.sqrt(b^2 / (x^2 + y^2) - e^2)
local C = {B[1] + e * x - h * y, B[2] + e * y + h * x, 0}

local function bar(name, p, q, omega)
    local l = math.sqrt((q[1] - p[1])^2 + (q[2] - p[2])^2)
    local m = density * l
    body { name = name, mass = m, inertia = {m * w^2 / 6, m * (l^2 + w^2) / 12, m * (l^2 + w^2) / 12},
           position = {(p[1] + q[1]) / 2, (p[2] + q[2]) / 2, 0},
           rotation = {axis = {0, 0, 1}, angle = math.atan(q[2] - p[2], q[1] - p[1])}, omega = omega }
end
local function hinge(name, first, second, at)
    joint { name = name, type = "revolute", bodies = {first, second}, at = at, axis = {0, 0, 1},
            friction = mu, friction_radius = lever, friction_speed = 0.5 }
end

gravity {0, -5, -9.81}
bar("crank", A, B, {0, 0, speed})
bar("coupler", B, C)
bar("rocker", D, C)
hinge("A", "ground", "crank", A)
hinge("B", "crank", "coupler", B)
hinge("C", "coupler", "rocker", C)
hinge("D", "ground", "rocker", D)

objective{ name = "J", final = function(s) return s.rocker.omega.z end,
           integral = function(t, s) return s.coupler.position.x^2 end }

run   { t_end = 0.2, h = 1e-3, formulation = "ggl" }
