-- N bodies on hinges about one body, which turns about an axis of its own.
-- polhode run bench/hub.lua --set N=1000 --formulation index3
model "hub"

local N = math.floor(param("N", 200))
gravity {0, 0, -9.81}

body  { name = "hub", mass = 10, inertia = {2, 2, 3} }
joint { name = "axle", type = "revolute", bodies = {"ground", "hub"}, at = {0, 0, 0}, axis = {0, 0, 1} }
for i = 1, N do
    local c, s = math.cos(2 * math.pi * i / N), math.sin(2 * math.pi * i / N)
    body  { name = "b" .. i, mass = 1, inertia = {0.1, 0.12, 0.14}, position = {1.5 * c, 1.5 * s, 0} }
    joint { name = "j" .. i, type = "revolute", bodies = {"hub", "b" .. i}, at = {c, s, 0}, axis = {-s, c, 0} }
end

run { t_end = 0.02, h = 1e-3, formulation = "ggl" }
