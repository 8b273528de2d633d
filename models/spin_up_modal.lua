-- Spin-up of a flexible body of a few modes: the twin of spin_up, whose beam is geometrically exact.
--
-- Origin: J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions - the plane case, 1986.
-- Modes alone bend away without limit once the shaft turns faster than their lowest frequency, 3.798 rad/s: --set stiffening=0
-- shows it, and the program says why. The tension of centrifugal forces, which geometric_stiffness brings in, holds them.
-- u is the displacement of the tip as seen from the shaft. The exact beam has least u2 = -0.5738348 at t = 6.762, u1 = -0.018821;
-- the modes -0.57459 and -0.01893.
model "spin-up, modal"

local L = 10
local n = math.floor(param("elements", 10))

local function psi(t)
    local w = 2 * math.pi / 15
    return t < 15 and 6 / 15 * (t^2 / 2 + (math.cos(w * t) - 1) / w^2) or 6 * t - 45
end

flexible { name = "rod", beam = { from = {0, 0, 0}, to = {L, 0, 0}, n = n,
                                  section = {EA = 2.8e7, GJ = 1.4e4, EI = 1.4e4}, mass = {rhoA = 1.2, J = {1.2e-3, 6e-4, 6e-4}} },
           modes = { type = "clamped", n = math.floor(param("modes", 8)) },
           geometric_stiffness = param("stiffening", 1) ~= 0 }
joint { name = "shaft", type = "revolute", bodies = {"ground", "rod"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = psi }

sensor{ name = "u", custom = function(t, s)
            local p, c, d = s["rod." .. n].position, math.cos(psi(t)), math.sin(psi(t))
            return c * p.x + d * p.y - L, c * p.y - d * p.x
        end }
sensor{ name = "torque", type = "reaction", joint = "shaft" }

run   { t_end = 20, h = 5e-3, sigma = 0, rho = 0.9, every = 4 }
