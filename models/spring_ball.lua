-- Ball with a torsional spring and a damper: m omegadot + d omega + k log R = 0, the test equation on SO(3).
--
-- Origin: M. Arnold, test problem for the stability of Lie group integrators.
-- Here omega and log R are not parallel at t = 0: parallel data cannot tell a left from a right update.
-- Reference (independent, in high precision):
--   t = 2   log R = 0.3263579083195356 0.0245153097816496 0.0191701445482059
--           omega = -0.0945936481146126 0.796935430683718 0.4341689789457257
model "ball with torsional spring"

local m = param("m", 1.0)                                  -- moment of inertia
local d = param("d", 0.2)
local k = param("k", 10.0)

gravity {0, 0, 0}
body    { name = "ball", mass = 1, inertia = {m, m, m},
          rotation = {vector = {0.4, 0, 0}}, omega = {0, 1, 0.5},
          shape = { { sphere = 0.8 }, { cylinder = {0.1, 2}, color = "orange" }, { box = {2, 0.1, 0.1}, color = "silver" } } }
torsion { name = "spring", body = "ball", k = k, d = d }

sensor  { name = "omega", type = "omega", body = "ball" }
sensor  { name = "q", type = "rotation", body = "ball" }

run     { t_end = 2.0, h = 0.01, sigma = 1, rho = 1 }
