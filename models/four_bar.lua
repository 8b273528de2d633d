-- Four-bar linkage, crank and rocker: a plane mechanism of spatial hinges, with 3 of 20 conditions redundant.
--
-- Every loop of parallel hinges is overdetermined this way. The motion does not suffer, and forces in the
-- plane are unique. The program finds the repeated conditions, names them and goes on.
-- Reference (one coordinate, extrapolation with 34 digits); period 0.55963799138382205:
--   t = 1   phi = 11.641724954343581 rate = 11.929474548492567 pin = 0.5747506303508348 0.3992022912413202 0
--   t = 2   phi = 22.935044839050061 rate = 10.547464632735289 pin = 0.3787461706435340 0.3332367671717811 0
model "four-bar linkage"

local a, b = param("crank", 0.2), param("coupler", 0.5)    -- lengths, m
local c, d = param("rocker", 0.4), param("ground", 0.6)
local phi, speed = param("phi", math.pi / 2), param("speed", 2 * math.pi)
local density, w = 2.0, 0.02                               -- kg/m, and the section w x w of a bar

-- C lies above the line from B to D, at distances b and c from them.
local A, D = {0, 0, 0}, {d, 0, 0}
local B = {a * math.cos(phi), a * math.sin(phi), 0}
local x, y = D[1] - B[1], D[2] - B[2]
local e = (x^2 + y^2 + b^2 - c^2) / 2 / (x^2 + y^2)        -- foot of C on the line
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
    joint { name = name, type = "revolute", bodies = {first, second}, at = at, axis = {0, 0, 1} }
end

gravity {0, -9.81, 0}
bar("crank", A, B, {0, 0, speed})                          -- all other velocities follow from the joints
bar("coupler", B, C)
bar("rocker", D, C)
hinge("A", "ground", "crank", A)
hinge("B", "crank", "coupler", B)
hinge("C", "coupler", "rocker", C)
hinge("D", "ground", "rocker", D)

sensor{ name = "phi", type = "angle", joint = "A" }        -- since t = 0
sensor{ name = "rate", type = "rate", joint = "A" }
sensor{ name = "pin", type = "position", body = "rocker", at = {c / 2, 0, 0} }    -- C
sensor{ name = "energy", type = "energy" }

run   { t_end = 2.0, h = 1e-3, sigma = 1, rho = 0.9, formulation = "ggl" }
