-- Hanging top: the heavy top below its pivot, spinning about its axis. A steady spin, the base motion of
-- `polhode stability models/hanging_top.lua --about-spin`.
--
-- Origin: M. Arnold, O. Bruls, A. Cardona, Numer. Math. 129 (2015), turned upside down: upright the top is unstable
-- in reality, (J_y Omega)^2 < 4 m g l J.
-- Reference: x = (0, 0, -1) and F = (0, 0, m g) at all times.
model "hanging top"

local m     = param("m", 15.0)
local Omega = param("Omega", 150.0)
gravity {0, 0, -9.81}

-- The axis, y of the body, points down.
body  { name = "top", mass = m, inertia = {0.234375, 0.46875, 0.234375},
        position = {0, 0, -1}, rotation = {axis = {1, 0, 0}, angle = -math.pi / 2}, omega = {0, Omega, 0} }
joint { name = "pivot", type = "spherical", bodies = {"ground", "top"}, at = {0, 0, 0} }

sensor{ name = "tip", type = "position", body = "top" }
sensor{ name = "reaction", type = "reaction", joint = "pivot" }

run   { t_end = 1.0, h = 1e-3, method = "genalpha", sigma = 1, rho = 0.9, formulation = "index3" }
