-- Struck top: a slow top on a spherical joint that a short pulse of torque hits, to compare steps of one size with steps by tolerance.
--
-- The pulse, exp(-((t - 0.3)/w)^2) with w = 0.2 ms, gives 1 N m s; without it steps of milliseconds would do. Steps by
-- tolerance end at its middle, so that none can jump over it.
-- Reference (rkmk with gauss6, h = 2e-5): centre of mass at t = 1
--   x = -0.0282818335606 -0.983561067127 -0.178347315997
model "struck top"

local m = param("m", 15.0)
local w = param("w", 2e-4) -- s
gravity {0, 0, -9.81}

body  { name = "top", mass = m, inertia = {0.234375, 0.46875, 0.234375}, position = {0, 1, 0}, omega = {0, 5, 0} }
joint { name = "pivot", type = "spherical", bodies = {"ground", "top"}, at = {0, 0, 0} }
torque{ name = "blow", body = "top", frame = "world", value = function(t)
          return {0, 0, math.exp(-((t - 0.3) / w)^2) / (w * math.sqrt(math.pi))} end }

sensor{ name = "tip", type = "position", body = "top", at = {0, 1, 0} }
sensor{ name = "reaction", type = "reaction", joint = "pivot" }

run   { t_end = 1.0, h = 1e-4, sigma = 1, rho = 0.9, formulation = "ggl", nonsmooth = {0.3} }
