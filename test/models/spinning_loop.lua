-- A four-bar linkage on a base that spins about an axis in its plane: which of its conditions repeat others changes as
-- it turns.
model "spinning loop"

local flat = param("flat", 0)                              -- 1: a parallelogram that lies flat, where one more repeats
local A, D = {0, 0, 0}, {0.6, 0, 0}
local B, C = {0, 0.2, 0}, {0.44, 0.365, 0}
if flat == 1 then B, C = {0.2, 0, 0}, {0.8, 0, 0} end

local function bar(name, p, q)
    local x, y = q[1] - p[1], q[2] - p[2]
    local l = math.sqrt(x^2 + y^2)
    body { name = name, mass = 2 * l, inertia = {1e-3, l^3 / 6 + 1e-3, l^3 / 6 + 1e-3},
           position = {(p[1] + q[1]) / 2, (p[2] + q[2]) / 2, 0},
           rotation = {axis = {0, 0, 1}, angle = math.atan(y, x)} }
end
local function hinge(name, first, second, at, axis)
    joint{ name = name, type = "revolute", bodies = {first, second}, at = at, axis = axis or {0, 0, 1} }
end

gravity {0, -9.81, 0}
body { name = "base", mass = 3, inertia = {0.1, 0.2, 0.2}, position = {0.3, 0, 0}, omega = {6, 0, 0} }
bar("crank", A, B)
bar("coupler", B, C)
bar("rocker", D, C)
hinge("spin", "ground", "base", {0, 0, 0}, {1, 0, 0})
hinge("A", "base", "crank", A)
hinge("B", "crank", "coupler", B)
hinge("C", "coupler", "rocker", C)
hinge("D", "base", "rocker", D)

sensor{ name = "phi", type = "angle", joint = "A" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 1, h = 1e-3, formulation = "ggl" }
