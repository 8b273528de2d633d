-- The drive train of a wind turbine: rotor, torsional shaft, gear 1 : -50, generator.
-- Seen from the slow shaft the generator side has J2 = gear + ratio^2 generator, and with mu = 1/J1 + 1/J2 the torsion of the
-- shaft obeys s^2 + d mu s + k mu = 0.
-- Reference: J1 = 4e5, J2 = 1e3 + 2500*20 = 5.1e4 kg m^2, mu = 2.21078431e-5: s = -2.21078431 +- 44.5512998 i 1/s, which
-- `polhode modes models/drive_train.lua --set slope=0 --set aero=0` finds; and the speed at which both torques balance is
-- aero/(50 slope 50) + cut_in/50 = 1.6 + 0.4 = 2 rad/s.
model "drive train"
local ratio = -50
local k, d = param("k", 9e7), param("d", 2e5)      -- N m/rad, N m s/rad
local aero = param("aero", 1e5)                    -- N m, of the wind
local slope, cut_in = param("slope", 25.0), 20.0   -- N m s/rad, rad/s: of the generator

body { name = "rotor", mass = 2e4, inertia = {4e5, 3e5, 3e5}, position = {-2, 0, 80}, omega = {1.9, 0, 0},
       shape = { { cylinder = {0.9, 0.8}, rotation = {axis = {0, 1, 0}, angle = 90*deg} }, { box = {0.1, 0.5, 9} }, { box = {0.1, 9, 0.5} } } }
body { name = "gear", mass = 800, inertia = {1e3, 800, 800}, position = {0, 0, 80}, omega = {1.9, 0, 0},
       shape = { cylinder = {0.9, 0.3}, rotation = {axis = {0, 1, 0}, angle = 90*deg}, color = "orange" } }
body { name = "generator", mass = 1500, inertia = {20, 60, 60}, position = {1, 0, 80.6},
       shape = { { cylinder = {0.5, 1.2}, rotation = {axis = {0, 1, 0}, angle = 90*deg}, at = {0.6, 0, 0}, color = "green" },
                 { box = {0.1, 0.12, 1.02}, at = {1.22, 0, 0} } } }
joint { name = "bearing", type = "revolute", bodies = {"ground", "gear"}, at = {0, 0, 80}, axis = {1, 0, 0} }
joint { name = "shaft", type = "revolute", bodies = {"gear", "rotor"}, at = {-2, 0, 80}, axis = {1, 0, 0} }
joint { name = "fast", type = "revolute", bodies = {"ground", "generator"}, at = {1, 0, 80.6}, axis = {1, 0, 0} }
coupling { name = "gears", joints = {"bearing", "fast"}, ratio = ratio }
actuator { name = "shaft", joint = "shaft", k = k, d = d }
torque { body = "rotor", value = {aero, 0, 0}, frame = "body" }
actuator { name = "generator", joint = "fast", effort = function(t, s)
    return slope*(-s.joints.fast.rate - cut_in)    -- it turns backwards
end }
sensor { name = "speed", type = "joint_rate", joint = "bearing" }
sensor { name = "twist", type = "joint_position", joint = "shaft" }
sensor { name = "gear_torque", type = "effort", of = "gears" }
sensor { name = "power", type = "power", of = "generator" }
run { t_end = 60, h = 5e-3 }
