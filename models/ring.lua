-- Ring of N cuboids with spherical joints, held at one corner and let go: a closed loop at scale.
--
-- The cuboids of chain.lua laid out as a regular polygon in the horizontal plane; one joint more closes it.
-- Reference (index-1 form with projection, Runge-Kutta of order 4, h = 1e-4 and 2e-4), N = 10, far corner:
--   t = 0.2   0.3976023926385 1.2236943381651 -0.1960499162955
model "ring"

local N = math.floor(param("N", 10))
local l, b = 0.4, 0.1                                      -- length and section b x b of a cuboid, m
local m = 1000 * l * b^2
local J = {m * b^2 / 6, m * (l^2 + b^2) / 12, m * (l^2 + b^2) / 12}

-- Body i is turned by 2a(i-1), a = pi/N, and starts at corner i, corner 1 being the origin.
local a = math.pi / N
local function corner(i)
    local r = l * math.sin(a * (i - 1)) / math.sin(a)      -- distance from corner 1
    return {r * math.cos(a * (i - 2)), r * math.sin(a * (i - 2)), 0}
end

gravity {0, 0, -9.81}
for i = 1, N do
    local p, q = corner(i), corner(i + 1)
    body  { name = "b" .. i, mass = m, inertia = J, position = {(p[1] + q[1]) / 2, (p[2] + q[2]) / 2, 0},
            rotation = {axis = {0, 0, 1}, angle = 2 * a * (i - 1)} }
    joint { name = "j" .. i, type = "spherical", bodies = {i == 1 and "ground" or "b" .. i - 1, "b" .. i},
            at = p }
end
joint { name = "j" .. N + 1, type = "spherical", bodies = {"b" .. N, "b1"}, at = {0, 0, 0} }

sensor{ name = "far", type = "position", body = "b" .. N // 2, at = {l / 2, 0, 0} }

run   { t_end = 0.2, h = 1e-3, sigma = 1, rho = 0.9, formulation = "index3" }
