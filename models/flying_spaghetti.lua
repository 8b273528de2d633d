-- Flying spaghetti: a free elastic beam, thrown by a force and a moment at one end, tumbles and bends far in space.
--
-- Origin: J. C. Simo, L. Vu-Quoc, On the dynamics in space of rods undergoing large motions - a geometrically exact
-- approach, 1988. The load acts on the first node, at (6, 0, 0), in axes of the world, until t = 5; its kinks are
-- multiples of the step size. After that energy is constant; the centre of mass moves as the force alone says.
-- Reference for n = 16 elements with lumped masses, exact in time (DOP853), first and last node:
--   t = 2.5  3.421299454 0.193141162  0.026215106    4.012363272 8.485800011 -0.732889369   E = 329.15953435
--   t = 5   19.584005297 1.589544321 -1.559281632   11.852030543 6.829178177  1.860901351   E = 881.72091011
--   t = 10  44.435156615 1.885277508 -2.230539217   36.369423820 6.150385587  1.814160190
-- and at t = 10 with linear (mass = 1) and with helicoidal mass (mass = 2)
--           44.439711075 1.732547030 -2.135029250   36.409568480 6.251159811  1.712513914
--           44.399076699 1.662456334 -2.063786062   36.402146985 6.317806137  1.693155936
-- For more and more elements (Richardson extrapolation, three mass models), t = 10:
--           44.4024      1.6690      -2.0653         36.4090      6.3355       1.6790
model "flying spaghetti"

local n = math.floor(param("n", 16))
local mass = math.floor(param("mass", 0))                  -- 0 lumped, as in the literature, 1 linear, 2 helicoidal

local function m(t)
    return t < 2.5 and 80 * t or t < 5 and 80 * (5 - t) or 0
end

beam  { name = "rod", from = {6, 0, 0}, to = {0, 8, 0}, n = n,
        mass_model = ({"lumped", "linear", "helicoidal"})[mass + 1],
        section = {EA = 1e4, GA = 1e4, GJ = 500, EI = 500}, mass = {rhoA = 1, J = {10, 10, 10}} }
force { name = "push", body = "rod.0", value = function(t) return m(t) / 10, 0, 0 end }
torque{ name = "twist", body = "rod.0", value = function(t) return 0, -m(t) / 2, -m(t) end }

sensor{ name = "first", type = "position", body = "rod.0" }
sensor{ name = "last", type = "position", body = "rod." .. n }
sensor{ name = "middle", type = "section_force", beam_element = "rod." .. (n + 1) // 2 }
sensor{ name = "energy", type = "energy" }

run   { t_end = 10, h = 0.00390625, space = "SE3", sigma = 0, rho = 0.9, every = 16 }
