-- 45 degree bend: a clamped arc under a force at its tip, square to its plane; bending and torsion couple.
--
-- Origin: K.-J. Bathe, S. Bolourchi, Large displacement analysis of three-dimensional beam structures, 1979. Radius
-- 100, section 1 x 1, E = 1e7, nu = 0. Torsion as in much of the literature: GJ = G/6, no shear factor.
-- Equilibrium at 600: n = 8   15.711118800 47.231848430 53.333182621
--                     n = 16  15.691372126 47.170749554 53.439483254
--                     n = 32  15.686442939 47.155513802 53.466017598
--           continuum (shooting, 12 digits)  15.684800534 47.150438574 53.474858792
-- Published (15.9, 47.2, 53.4) is within 0.3. `polhode static models/bend45.lua` finds the equilibrium; a run lets the
-- force act at once, with much damping, and comes to the same in the end.
model "45 degree bend"

local n = math.floor(param("n", 8))
local P = param("P", 600)
local a = 100 * math.sqrt(0.5)

beam  { name = "rod", from = {0, 0, 0}, to = {100 - a, a, 0}, tangent = {0, 1, 0}, n = n, ends = {"clamped", "free"},
        section = {EA = 1e7, GA = 5e6, GJ = 5e6 / 6, EI = 1e7 / 12}, mass = {rhoA = 1, J = {10, 5, 5}}, damping = 3 }
force { name = "pull", body = "rod." .. n, value = {0, 0, P} }

sensor{ name = "tip", type = "position", body = "rod." .. n }
sensor{ name = "root", type = "section_force", beam_element = "rod.1" }
sensor{ name = "support", type = "reaction", joint = "rod.first" }

run   { t_end = 20, h = 1e-2, space = "SE3", rho = 0.5, start = "plain", every = 10 }
