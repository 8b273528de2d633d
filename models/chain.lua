-- Chain of N cuboids with spherical joints, let go from the horizontal: what a step costs at scale.
--
-- Cuboids 0.4 x 0.1 x 0.1 m of density 1000 along +x, the first one hung at the origin.
-- Reference (plane chain in N absolute angles, extrapolation with 22 digits), far end at t = 0.2:
--   N = 1    0.30280166495496837 0 -0.26136402143466319
--   N = 10   3.9636848637208711  0 -0.1961993086675359
model "chain"

local N = math.floor(param("N", 10))
local l, b = 0.4, 0.1                                      -- length and section b x b of a cuboid, m
local m = 1000 * l * b^2
local J = {m * b^2 / 6, m * (l^2 + b^2) / 12, m * (l^2 + b^2) / 12}

gravity {0, 0, -9.81}
for i = 1, N do
    body  { name = "b" .. i, mass = m, inertia = J, position = {(i - 0.5) * l, 0, 0} }
    joint { name = "j" .. i, type = "spherical", bodies = {i == 1 and "ground" or "b" .. i - 1, "b" .. i},
            at = {(i - 1) * l, 0, 0} }
end

sensor{ name = "end", type = "position", body = "b" .. N, at = {l / 2, 0, 0} }

run   { t_end = 0.2, h = 1e-3, sigma = 1, rho = 0.9, formulation = "index3" }
