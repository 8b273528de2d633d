-- Heavy top of unknown mass and inertia: find both from how its tip moves.
--
-- Origin: the top of models/heavy_top.lua with more inertia across its axis. The data are a run of this model itself:
--   polhode run models/heavy_top_fit.lua --set m=15 --set J=0.4 -o models/heavy_top_fit.csv
-- Reference: polhode optimise models/heavy_top_fit.lua --vary m,J --bounds m=5:30,J=0.25:0.8 --minimise fit --x-tol 1e-9
-- gives m = 15 and J = 0.4 back, to more than 6 digits.
model "heavy top, to be identified"

local m = param("m", 12)    -- kg
local J = param("J", 0.3)   -- kg m^2, across the axis
gravity {0, 0, -9.81}

body     { name = "top", mass = m, inertia = {J, 0.46875, J}, position = {0, 1, 0}, omega = {0, 150, -4.61538} }
joint    { name = "pivot", type = "spherical", bodies = {"ground", "top"}, at = {0, 0, 0} }
sensor   { name = "tip", type = "position", body = "top", at = {0, 1, 0} }
objective{ name = "fit", data = "heavy_top_fit.csv", sensor = "tip" }

run      { t_end = 0.1, h = 2e-3, formulation = "ggl" }
