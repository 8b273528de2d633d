-- Balanced crank: a slider-crank driven at constant speed; which counterweight spares the bearing of the crank?
--
-- Origin: classical balancing of engines. The counterweight at the far end of the crank takes all of the crank and a part of the
-- rod and slider; the force of the bearing cannot vanish, since the slider moves along one line.
-- Reference: polhode optimise models/balanced_crank.lua --vary balance --bounds balance=0:2 --minimise load
model "balanced crank"

local balance = param("balance", 0.2)   -- kg, of the counterweight
local radius  = param("radius", 0.06)   -- m, of its centre from the axis
local a, l    = 0.05, 0.2               -- m, crank and rod
local mc, mr, ms = 0.2, 0.4, 0.6        -- kg, crank, rod and slider
local speed   = 100                     -- rad/s

-- Crank and counterweight are one body: its centre of mass is at distance c from the axis, towards the pin.
local m = mc + balance
local c = (mc * a / 2 - balance * radius) / m
local J = mc * (a^2 / 12 + (a / 2 - c)^2) + balance * (radius + c)^2 + 1e-6

body  { name = "crank", mass = m, inertia = {1e-5, J, J}, position = {c, 0, 0}, omega = {0, 0, speed} }
body  { name = "rod", mass = mr, inertia = {1e-5, mr * l^2 / 12, mr * l^2 / 12}, position = {a + l / 2, 0, 0} }
body  { name = "slider", mass = ms, inertia = {1e-4, 1e-4, 1e-4}, position = {a + l, 0, 0} }
joint { name = "bearing", type = "revolute", bodies = {"ground", "crank"}, at = {0, 0, 0}, axis = {0, 0, 1},
        drive = function(t) return speed * t end }
joint { name = "pin", type = "generic", bodies = {"crank", "rod"}, at = {a, 0, 0}, lock = {"x", "y"} }
joint { name = "wrist", type = "revolute", bodies = {"rod", "slider"}, at = {a + l, 0, 0}, axis = {0, 0, 1} }
joint { name = "guide", type = "prismatic", bodies = {"ground", "slider"}, axis = {1, 0, 0} }

sensor   { name = "force", type = "reaction", joint = "bearing" }
objective{ name = "load", integral = function(t, s)  -- N^2 s
    local f = s.sensors.force
    return f[1]^2 + f[2]^2
end }

run   { t_end = 2 * math.pi / speed, h = 2e-4, formulation = "ggl" }
