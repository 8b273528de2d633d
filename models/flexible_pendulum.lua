-- Flexible pendulum: a steel bar on a hinge, let go from the horizontal; it swings as a whole and vibrates a little.
--
-- A square bar of 10 mm, 1 m long, E = 2.1e11, steel. The hinge and gravity are in the plane x y.
-- Reference (another program, mass and flexibility as here, n = 16, h = 1/16000), tip, good to 3e-6:
--   t = 0.1   0.99731078 -0.07328741
--   t = 0.2   0.95730756 -0.28907152
--   t = 0.25  0.89756425 -0.44088420
--   t = 0.5  -0.09012258 -0.99593122
-- Lumped masses (mass = 0) have the rotational inertia of a bar only to 1/(2 n^2): t = 0.5
--   n = 16   -0.0875369 -0.9961618
--   n = 32   -0.0894756 -0.9959896,  extrapolated -0.09012 -0.99593
model "flexible pendulum"

local n = math.floor(param("n", 8))
local mass = math.floor(param("mass", 2))                  -- 0 lumped, 1 linear, 2 helicoidal with rbf
local L, EA, EI = param("L", 1), param("EA", 2.1e7), param("EI", 175)
local rhoA = param("rhoA", 0.785)

gravity {0, -9.81, 0}
beam  { name = "bar", from = {0, 0, 0}, to = {L, 0, 0}, n = n, rbf = mass == 2,
        mass_model = ({"lumped", "linear", "helicoidal"})[mass + 1],
        section = {EA = EA, GA = 6.5e6, GJ = 135, EI = EI},
        mass = {rhoA = rhoA, J = {1.3083334e-5, 6.541667e-6, 6.541667e-6}} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "bar.0"}, at = {0, 0, 0}, axis = {0, 0, 1} }

sensor{ name = "tip", type = "position", body = "bar." .. n }
sensor{ name = "angle", type = "angle", joint = "hinge" }
sensor{ name = "moment", type = "section_force", beam_element = "bar." .. (n + 1) // 2 }
sensor{ name = "energy", type = "energy" }

run   { t_end = 0.5, h = 2e-4, space = "SE3", rho = 0.8, formulation = "ggl", every = 10 }
