-- Hanging chain of n bodies whose masses and lengths are parameters of their own: 2 n of them.
model "chain of parameters"

local n = 25
gravity {0, 0, -9.81}
local x = 0
for i = 1, n do
    local m, l = param("m" .. i, 1 + 0.01 * i), param("l" .. i, 0.2 + 0.002 * i)
    body  { name = "b" .. i, mass = m, inertia = {m * l^2 / 50, m * l^2 / 12, m * l^2 / 12}, position = {x + l / 2, 0, 0} }
    joint { name = "j" .. i, type = "spherical", bodies = {i == 1 and "ground" or "b" .. i - 1, "b" .. i},
            at = {x, 0, 0} }
    x = x + l
end

run   { t_end = 0.2, h = 1e-3, sigma = 1, rho = 0.9, formulation = "index3" }
