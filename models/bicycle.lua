-- Whipple's benchmark bicycle: rigid rider, knife-edge wheels that roll without slip, riding straight on at 5 m/s.
-- J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a
-- bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007), table 1. There x points forwards and z down; here z points up.
-- Reference, its table 2: at v = 5 m/s the eigenvalues are -0.7753 +- 4.4649 i (weave), -0.3229 (capsize) and -14.0784
-- (castering), all others 0: `polhode linearise models/bicycle.lua`.
model "bicycle"
local v = param("v", 5.0)                 -- m/s
local w, c, tilt = 1.02, 0.08, math.pi/10 -- wheel base, trail, tilt of the steering axis
local rear, front = 0.3, 0.35             -- radii of the wheels
gravity {0, 0, -9.81}

body { name = "rear_wheel", mass = 2, inertia = {0.0603, 0.12, 0.0603}, position = {0, 0, rear},
       velocity = {v, 0, 0}, omega = {0, v/rear, 0} }
body { name = "frame", mass = 85, inertia = {9.2, 11, 2.8, 0, -2.4, 0}, position = {0.3, 0, 0.9}, velocity = {v, 0, 0},
       omega = {0, 0, 0} }
body { name = "fork", mass = 4, inertia = {0.05892, 0.06, 0.00708, 0, 0.00756, 0}, position = {0.9, 0, 0.7},
       velocity = {v, 0, 0}, omega = {0, 0, 0} }
body { name = "front_wheel", mass = 3, inertia = {0.1405, 0.28, 0.1405}, position = {w, 0, front},
       velocity = {v, 0, 0}, omega = {0, v/front, 0} }

joint { name = "rear_contact", type = "rolling", bodies = {"ground", "rear_wheel"}, axis = {0, 1, 0}, radius = rear }
joint { name = "front_contact", type = "rolling", bodies = {"ground", "front_wheel"}, axis = {0, 1, 0}, radius = front }
joint { name = "rear_hub", type = "revolute", bodies = {"frame", "rear_wheel"}, at = {0, 0, rear}, axis = {0, 1, 0} }
joint { name = "front_hub", type = "revolute", bodies = {"fork", "front_wheel"}, at = {w, 0, front}, axis = {0, 1, 0} }
joint { name = "steer", type = "revolute", bodies = {"frame", "fork"}, at = {w + c, 0, 0},
        axis = {-math.sin(tilt), 0, math.cos(tilt)} }

input { name = "torque", unit = "N m" }
actuator { name = "rider", joint = "steer", effort = "torque" }
sensor { name = "steer", type = "joint_position", joint = "steer" }
sensor { name = "roll_rate", type = "omega", body = "frame" }
run { t_end = 1, h = 1e-3 }
