-- Flexible four-bar linkage: a thin elastic coupler between crank and rocker, brought to speed without a jerk.
--
-- The crank angle turns from rest to 2 pi turns a second; all other velocities are 0 at the start, and so are accelerations.
-- bow is the deflection of the middle of the coupler from its chord, over its length: what a rigid linkage (four_bar.lua) does
-- not show. The coupler can bend out of its plane and twist: hinges of the loop repeat no condition here.
model "flexible four-bar linkage"

local n = math.floor(param("n", 6))
local a, b = param("crank", 0.2), param("coupler", 0.5)    -- lengths, m
local c, d = param("rocker", 0.4), param("ground", 0.6)
local turns = param("turns", 2)                            -- a second
local h = param("thickness", 4e-3)                         -- of the coupler in the plane, m
local phi0 = math.pi / 2

-- C lies above the line from B to D, at distances b and c from them.
local A, D = {0, 0, 0}, {d, 0, 0}
local B = {a * math.cos(phi0), a * math.sin(phi0), 0}
local x, y = D[1] - B[1], D[2] - B[2]
local e = (x^2 + y^2 + b^2 - c^2) / 2 / (x^2 + y^2)        -- foot of C on the line
local k = math.sqrt(b^2 / (x^2 + y^2) - e^2)
local C = {B[1] + e * x - k * y, B[2] + e * y + k * x, 0}

local function bar(name, p, q)
    local l = math.sqrt((q[1] - p[1])^2 + (q[2] - p[2])^2)
    local m, w = 2 * l, 0.02
    body { name = name, mass = m, inertia = {m * w^2 / 6, m * (l^2 + w^2) / 12, m * (l^2 + w^2) / 12},
           position = {(p[1] + q[1]) / 2, (p[2] + q[2]) / 2, 0},
           rotation = {axis = {0, 0, 1}, angle = math.atan(q[2] - p[2], q[1] - p[1])} }
end
local function hinge(name, first, second, at, drive)
    joint { name = name, type = "revolute", bodies = {first, second}, at = at, axis = {0, 0, 1}, drive = drive }
end
local function phi(t)                                      -- a third of a second to full speed
    local T, w = 1 / 3, 2 * math.pi * turns
    if t >= T then return w * (t - T / 2) end
    local s = t / T
    return w * T * s^4 * (2.5 + s * (-3 + s))              -- rate w s^3 (10 - 15 s + 6 s^2)
end

local Em, rho, width = 7e10, 2700, 0.02                    -- aluminium
local area, I2, I3 = width * h, h * width^3 / 12, width * h^3 / 12
gravity {0, -9.81, 0}
bar("crank", A, B)
bar("rocker", D, C)
beam  { name = "coupler", from = B, to = C, n = n, mass_model = "helicoidal", rbf = true,
        section = {EA = Em * area, GA = 0.32 * Em * area, GJ = Em / 2.6 * 4 * I3, EI = {I2 * Em, I3 * Em}}, damping = 2e-5,
        mass = {rhoA = rho * area, J = {rho * (I2 + I3), rho * I2, rho * I3}} }
hinge("A", "ground", "crank", A, phi)
hinge("B", "crank", "coupler.0", B)
hinge("C", "coupler." .. n, "rocker", C)
hinge("D", "ground", "rocker", D)

sensor{ name = "bow", custom = function(t, s)
            local p, q, m = s["coupler.0"].position, s["coupler." .. n].position, s["coupler." .. n // 2].position
            local u, v = q.x - p.x, q.y - p.y
            return (u * (m.y - p.y) - v * (m.x - p.x)) / math.sqrt(u^2 + v^2) / b
        end }
sensor{ name = "pin", type = "position", body = "rocker", at = {c / 2, 0, 0} }    -- C
sensor{ name = "torque", type = "reaction", joint = "A" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 1, h = 5e-4, rho = 0.8, formulation = "ggl", every = 5 }
