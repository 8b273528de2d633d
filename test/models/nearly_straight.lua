-- A crank and a coupler at a distance d from being in line, held by springs: the angle of the crank moves the rest by d.
-- Coordinates that are nearly dependent must not cost the linearised system its digits.
model "nearly straight"
gravity {0, 0, -9.81}
local d = param("d", 0.02)
local function link(name, before, x)
  body { name = name, mass = 1, inertia = {0.01, 0.1, 0.1}, position = {x + 0.5, 0, 0} }
  joint { name = "at_" .. name, type = "revolute", bodies = {before, name}, at = {x, 0, 0}, axis = {0, 1, 0} }
  actuator { name = "hold_" .. name, joint = "at_" .. name, k = 100, d = 1 }
end
link("crank", "ground", 0)
link("coupler", "crank", 1)
joint { name = "rod", type = "distance", bodies = {"ground", "coupler"}, at_a = {5, 0, 3*d}, at_b = {0.5, 0, 0} }
run { t_end = 1, h = 1e-3 }
