-- A hinged bar that bends, with a weight that hangs from its end, and all that a beam is made of as parameters.
model "beam of parameters"

local EI      = param("EI", 2)
local EA      = param("EA", 2e4)
local density = param("density", 0.4)
local length  = param("length", 1)
local relax   = param("relaxation", 1e-3)

gravity {0, 0, -9.81}
beam  { name = "bar", from = {0, 0, 0}, to = {length, 0, 0}, n = 3,
        section = {EA = EA, GA = 0.4 * EA, GJ = 0.8 * EI, EI = EI}, damping = relax,
        mass = {rhoA = density, J = {2e-4 * density, 1e-4 * density, 1e-4 * density}} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "bar.0"}, at = {0, 0, 0}, axis = {0, 1, 0} }
body  { name = "weight", mass = 0.1, inertia = {1e-4, 2e-4, 3e-4}, position = {length, 0.02, -0.1}, omega = {3, 0, 5},
        velocity = {-0.1, 0.3, 0.06} }
joint { name = "hook", type = "spherical", bodies = {"bar.3", "weight"}, at = {length, 0, 0} }

sensor{ name = "tip", type = "position", body = "bar.3" }
sensor{ name = "moment", type = "section_force", beam_element = "bar.2" }
objective{ name = "J", final = function(s) return s.sensors.tip[1] end,
           integral = function(t, s) return s.sensors.tip[3]^2 + 1e-2*s.sensors.moment[5]^2 end }

run   { t_end = 0.05, h = 5e-4, rho = 0.8, formulation = "ggl" }
