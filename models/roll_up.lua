-- Roll-up: a moment at the tip of a clamped beam bends it to a full circle, exactly, however few elements it has.
--
-- Origin: the standard test of large rotations in statics; with M = 2 pi EI/L the beam of constant curvature closes.
-- Equilibrium (exact): node i of n lies at r (sin a, 1 - cos a, 0), r = L/(2 pi), a = 2 pi i/n, and the section force
-- is (0, 0, 0, 0, 0, M) in every element. A full circle needs 3 elements or more, since an element turns by less
-- than half a turn. `polhode static models/roll_up.lua` finds it; a run lets the moment act at once, with much damping,
-- and comes to the same in the end.
model "roll-up"

local n = math.floor(param("n", 8))
local L, EI = 10, 500
local M = 2 * math.pi * EI / L

beam  { name = "rod", from = {0, 0, 0}, to = {L, 0, 0}, n = n, ends = {"clamped", "free"},
        section = {EA = 1e4, GA = 1e4, GJ = 500, EI = EI}, mass = {rhoA = 1, J = {1, 1, 1}}, damping = 2 }
torque{ name = "moment", body = "rod." .. n, value = {0, 0, M} }

sensor{ name = "tip", type = "position", body = "rod." .. n }
sensor{ name = "middle", type = "section_force", beam_element = "rod." .. (n + 1) // 2 }
sensor{ name = "support", type = "reaction", joint = "rod.first" }

run   { t_end = 20, h = 1e-2, space = "SE3", rho = 0.5, start = "plain", every = 10 }
