-- Bricard's mechanism with rough hinges: one of 30 conditions is redundant, in a direction that turns with the rods.
model "rough Bricard mechanism"

local m, b = param("m", 1.0), param("b", 0.1)
local mu, lever = param("friction", 0.2), param("lever", 0.05)
local tilt = param("tilt", 1.0)
local J = {m * b^2 / 6, m * (1 + b^2) / 12, m * (1 + b^2) / 12}

local function rod(name, centre, axis, right_angles)
    body { name = name, mass = m, inertia = J, position = centre,
           rotation = {axis = axis, angle = right_angles * math.pi / 2} }
end
local function hinge(name, first, second, at, axis)
    joint{ name = name, type = "revolute", bodies = {first, second}, at = at, axis = axis,
           friction = mu, friction_radius = lever, friction_speed = 0.3 }
end

gravity {tilt, -9.81, 2 * tilt}
rod("rod1", {0.5, 0, 0},  {0, 0, 1}, 0)
rod("rod2", {1, -0.5, 0}, {0, 0, 1}, -1)
rod("rod3", {1, -1, 0.5}, {0, 1, 0}, -1)
rod("rod4", {0.5, -1, 1}, {0, 0, 1}, 2)
rod("rod5", {0, -0.5, 1}, {0, 0, 1}, 1)
hinge("r1", "ground", "rod1", {0, 0, 0},  {0, 1, 0})
hinge("r2", "rod1", "rod2",   {1, 0, 0},  {0, 0, 1})
hinge("r3", "rod2", "rod3",   {1, -1, 0}, {1, 0, 0})
hinge("r4", "rod3", "rod4",   {1, -1, 1}, {0, 1, 0})
hinge("r5", "rod4", "rod5",   {0, -1, 1}, {0, 0, 1})
hinge("r6", "rod5", "ground", {0, 0, 1},  {1, 0, 0})

objective{ name = "J", final = function(s) return s.rod3.position.y end,
           integral = function(t, s) return s.rod2.velocity.x^2 end }

run   { t_end = 0.3, h = 1e-3, formulation = "ggl" }
