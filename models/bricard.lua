-- Bricard's mechanism: six hinges, five rods, one degree of freedom although the count says none.
--
-- Origin: IFToMM library of computational benchmark problems, A04. One of 30 conditions repeats the others.
-- Reference (independent, in high precision), hinge r4:
--   t = 0.5   P3 = 0.9682836791067772 -1.224625159436334 0.7501466094377669
model "Bricard mechanism"

local m, b = param("m", 1.0), param("b", 0.1)              -- of a rod 1 m long, section b x b
local J = {m * b^2 / 6, m * (1 + b^2) / 12, m * (1 + b^2) / 12}

-- A rod along its own x axis, which right angles about an axis lay from one hinge to the next.
local function rod(name, centre, axis, right_angles)
    body { name = name, mass = m, inertia = J, position = centre,
           rotation = {axis = axis, angle = right_angles * math.pi / 2} }
end

gravity {0, -9.81, 0}
rod("rod1", {0.5, 0, 0},  {0, 0, 1}, 0)
rod("rod2", {1, -0.5, 0}, {0, 0, 1}, -1)
rod("rod3", {1, -1, 0.5}, {0, 1, 0}, -1)
rod("rod4", {0.5, -1, 1}, {0, 0, 1}, 2)
rod("rod5", {0, -0.5, 1}, {0, 0, 1}, 1)

joint { name = "r1", type = "revolute", bodies = {"ground", "rod1"}, at = {0, 0, 0},  axis = {0, 1, 0} }
joint { name = "r2", type = "revolute", bodies = {"rod1", "rod2"},   at = {1, 0, 0},  axis = {0, 0, 1} }
joint { name = "r3", type = "revolute", bodies = {"rod2", "rod3"},   at = {1, -1, 0}, axis = {1, 0, 0} }
joint { name = "r4", type = "revolute", bodies = {"rod3", "rod4"},   at = {1, -1, 1}, axis = {0, 1, 0} }
joint { name = "r5", type = "revolute", bodies = {"rod4", "rod5"},   at = {0, -1, 1}, axis = {0, 0, 1} }
joint { name = "r6", type = "revolute", bodies = {"rod5", "ground"}, at = {0, 0, 1},  axis = {1, 0, 0} }

sensor{ name = "P3", type = "position", body = "rod3", at = {0.5, 0, 0} }     -- hinge r4
sensor{ name = "energy", type = "energy" }

run   { t_end = 10.0, h = 1e-3, sigma = 1, rho = 0.9, formulation = "ggl" }
