-- Row of N four-bar linkages, upright and pushed sideways: one degree of freedom, 3 N redundant conditions.
--
-- N + 1 upright rods and N rods that join their tops, each of 1 m and 1 kg, on hinges: the N-four-bar mechanism of
-- the IFToMM library of benchmarks (A02), where the tops start with 1 m/s. All upright rods turn by the same
-- angle phi, the others do not turn: phi'' = c sin(phi), c = g (3 N + 1)/2 / ((4 N + 1)/3), phi'(0) = 1 rad/s.
-- It lies flat twice in every turn, where the motion could branch.
-- Reference (that equation, 30 digits), N = 3, the first top:
--   t = 0.5   0.692889176460254 0 0.721044096532404
model "four-bar linkages"

local N = math.floor(param("N", 3))

local function rod(name, x, z, angle, velocity)            -- its axis is x before it is turned
    body { name = name, mass = 1, inertia = {1e-4, 1 / 12, 1 / 12}, position = {x, 0, z},
           rotation = {axis = {0, 1, 0}, angle = angle}, velocity = velocity }
end
local function hinge(name, first, second, x, z)
    joint{ name = name, type = "revolute", bodies = {first, second}, at = {x, 0, z}, axis = {0, 1, 0} }
end

gravity {0, 0, -9.81}
for i = 0, N do
    rod("up" .. i, i, 0.5, -math.pi / 2, {0.5, 0, 0})
    hinge("foot" .. i, "ground", "up" .. i, i, 0)
    if i > 0 then
        rod("across" .. i, i - 0.5, 1, 0, {1, 0, 0})
        hinge("left" .. i, "up" .. i - 1, "across" .. i, i - 1, 1)
        hinge("right" .. i, "across" .. i, "up" .. i, i, 1)
    end
end

sensor{ name = "top", type = "position", body = "up0", at = {0.5, 0, 0} }
sensor{ name = "energy", type = "energy" }

run   { t_end = 10, h = 1e-3, sigma = 1, rho = 0.9, formulation = "ggl" }
