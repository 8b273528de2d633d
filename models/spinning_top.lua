-- Spinning top: the heavy top as Bruels and Eberhard run it, with the quantities of their figures 5 to 7.
--
-- Origin: O. Bruls, P. Eberhard, Sensitivity analysis for dynamic mechanical systems with finite rotations, Int. J.
-- Numer. Methods Eng. 74 (2008), section 6. Other methods of that section: --method residual-alpha, linear-alpha.
-- The exact motion passes through the lowest point, x = (0, 0, -1), for the first time at t = 0.3726.
model "spinning top"

local m = param("m", 15.0)
gravity {0, 0, -9.81}

body  { name = "top", mass = m, inertia = {0.234375, 0.46875, 0.234375},
        position = {0, 1, 0}, omega = {0, 150, -4.61538} }
joint { name = "pivot", type = "spherical", bodies = {"ground", "top"}, at = {0, 0, 0} }

-- The rotation vector of the shorter way: it jumps where the angle passes pi.
local function rotation_vector(q)
    local n = math.sqrt(q.x^2 + q.y^2 + q.z^2)
    local angle = 2 * math.atan(q.w < 0 and -n or n, math.abs(q.w))
    local f = n > 0 and angle / n or 2
    return f * q.x, f * q.y, f * q.z
end

sensor{ name = "psi", custom = function(t, s) return rotation_vector(s.top.rotation) end }
sensor{ name = "x", type = "position", body = "top" }
sensor{ name = "lambda", type = "reaction", joint = "pivot" }

run   { t_end = 0.38, h = 2e-3, method = "genalpha", sigma = 0, rho = 0.8, formulation = "index3", start = "plain" }
