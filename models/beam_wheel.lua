-- Wheel of beams: rim and spokes are elastic, joined to a closed structure, and a rigid hub brings them to speed.
--
-- The rim is as many arcs as there are spokes; where arcs and a spoke meet their ends are fixed to each other. radius are the
-- distances of the first and the second of these points from the axle, equal by symmetry however the wheel deforms; at full
-- speed, once vibrations have gone, the wheel is larger than at rest.
model "wheel of beams"

local spokes, n = math.floor(param("spokes", 5)), math.floor(param("n", 3))    -- n elements in each arc and spoke
local r0, r = 0.1, 0.5                                     -- hub and rim, m
local speed = param("speed", 60)                           -- rad/s
local w = 0.01                                             -- section w x w
local E, rho = 3e9, 1200                                   -- a plastic
local section = {EA = E * w^2, GA = 0.32 * E * w^2, GJ = 0.141 * E / 2.6 * w^4, EI = E * w^4 / 12}
local mass = {rhoA = rho * w^2, J = {rho * w^4 / 6, rho * w^4 / 12, rho * w^4 / 12}}

local function point(radius, k)
    local p = 2 * math.pi * k / spokes
    return {radius * math.cos(p), radius * math.sin(p), 0}
end
local function phi(t)                                      -- to full speed in a fifth of a second
    local T = 0.2
    if t >= T then return speed * (t - T / 2) end
    local s = t / T
    return speed * T * s^4 * (2.5 + s * (-3 + s))
end
local function fix(name, first, second, at)
    joint { name = name, type = "fixed", bodies = {first, second}, at = at }
end

body  { name = "hub", mass = 0.5, inertia = {2e-3, 2e-3, 2.5e-3} }
joint { name = "axle", type = "revolute", bodies = {"ground", "hub"}, at = {0, 0, 0}, axis = {0, 0, 1}, drive = phi }
for k = 0, spokes - 1 do
    local p = 2 * math.pi * k / spokes
    beam { name = "spoke" .. k, from = point(r0, k), to = point(r, k), n = n, section = section, mass = mass,
           mass_model = "helicoidal", rbf = true, damping = 3e-3, frame = {0, 0, 1} }
    beam { name = "rim" .. k, from = point(r, k), to = point(r, k + 1), tangent = {-math.sin(p), math.cos(p), 0}, n = n,
           section = section, mass = mass, mass_model = "helicoidal", rbf = true, damping = 3e-3, frame = {0, 0, 1} }
end
for k = 0, spokes - 1 do
    local next = (k + 1) % spokes
    fix("root" .. k, "hub", "spoke" .. k .. ".0", point(r0, k))
    fix("tee" .. k, "rim" .. k .. ".0", "spoke" .. k .. "." .. n, point(r, k))
    fix("rim" .. k .. "_" .. next, "rim" .. k .. "." .. n, "rim" .. next .. ".0", point(r, next))
end

sensor{ name = "radius", custom = function(t, s)
            local a, b = s["rim0.0"].position, s["rim1.0"].position
            return math.sqrt(a.x^2 + a.y^2), math.sqrt(b.x^2 + b.y^2)
        end }
sensor{ name = "torque", type = "reaction", joint = "axle" }
sensor{ name = "spoke", type = "section_force", beam_element = "spoke0.1" }

run   { t_end = 0.8, h = 1e-3, rho = 0.6, formulation = "ggl", every = 2 }
