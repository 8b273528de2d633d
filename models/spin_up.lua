-- Spin-up: a slender beam on a shaft that comes to 6 rad/s in 15 s; it lags behind, then centrifugal forces hold it straight.
--
-- Origin: J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions - the plane case, 1986.
-- With stiffness of bending alone, and none from centrifugal forces, the beam would bend away without limit.
-- u is the displacement of the tip as seen from the shaft. Reference: least u2 is -0.5738348 at t = 6.762, u1 = -0.018821
-- there; at t = 15 a steady extension of 5.143e-4. Least u2 of the element, by an independent program:
--   mass = 2, helicoidal with residual bending flexibility   n = 8   h = 1/400  -0.573843848   h = 1/800  -0.573843379
--                                                            n = 16  h = 1/800  -0.5738354
--   mass = 0, lumped, h = 1/400                              n = 8   -0.577277723   n = 16  -0.574701542   n = 32  -0.574052272
model "spin-up"

local n = math.floor(param("n", 8))
local mass = math.floor(param("mass", 2))                  -- 0 lumped, 1 linear, 2 helicoidal with rbf
local L = 10

local function psi(t)
    local w = 2 * math.pi / 15
    return t < 15 and 6 / 15 * (t^2 / 2 + (math.cos(w * t) - 1) / w^2) or 6 * t - 45
end

beam  { name = "rod", from = {0, 0, 0}, to = {L, 0, 0}, n = n, rbf = mass == 2,
        mass_model = ({"lumped", "linear", "helicoidal"})[mass + 1],
        section = {EA = 2.8e7, GA = 1e7, GJ = 1.4e4, EI = 1.4e4}, mass = {rhoA = 1.2, J = {6e-4, 6e-4, 6e-4}},
        shape = { box = {0.25, 0.25} } }
joint { name = "shaft", type = "revolute", bodies = {"ground", "rod.0"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = psi }

sensor{ name = "u", custom = function(t, s)
            local p, c, d = s["rod." .. n].position, math.cos(psi(t)), math.sin(psi(t))
            return c * p.x + d * p.y - L, c * p.y - d * p.x
        end }
sensor{ name = "root", type = "section_force", beam_element = "rod.1" }
sensor{ name = "torque", type = "reaction", joint = "shaft" }

run   { t_end = 20, h = 2.5e-3, space = "SE3", sigma = 0, rho = 0.9, every = 8 }
