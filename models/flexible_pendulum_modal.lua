-- Flexible pendulum of a few modes: the twin of flexible_pendulum, a steel bar on a hinge, let go from the horizontal.
--
-- A square bar of 10 mm, 1 m long, E = 2.1e11, steel. The frame stands at the hinge and follows the section there.
-- Reference (geometrically exact beam, n = 16, h = 1/16000), tip, good to 3e-6:
--   t = 0.1   0.99731  -0.07329
--   t = 0.2   0.95731  -0.28907
--   t = 0.25  0.897564 -0.440884
--   t = 0.5  -0.090123 -0.995931
-- Modes without the stiffness of centrifugal forces and weight (--set stiffening=0) are off by 4e-5 at t = 0.5.
model "flexible pendulum, modal"

gravity {0, -9.81, 0}
flexible { name = "bar", beam = { from = {0, 0, 0}, to = {1, 0, 0}, n = 10, section = {EA = 2.1e7, GJ = 135, EI = 175},
                                  mass = {rhoA = 0.785, J = {1.3083334e-5, 6.541667e-6, 6.541667e-6}} },
           modes = { type = "clamped", n = math.floor(param("modes", 8)) },
           geometric_stiffness = param("stiffening", 1) ~= 0 }
joint { name = "hinge", type = "revolute", bodies = {"ground", "bar"}, at = {0, 0, 0}, axis = {0, 0, 1} }

sensor{ name = "tip", type = "position", body = "bar.10" }
sensor{ name = "angle", type = "angle", joint = "hinge" }
sensor{ name = "modes", type = "modes", body = "bar" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 0.5, h = 2e-4, rho = 0.8, formulation = "ggl", every = 10 }
