-- A direct-current motor under a load, its speed held by a PI controller: an electrical state, a state of the controller, and
-- a mechanical one.
--   L i' = u - R i - K w,   J w' = K i - d w - load,   e' = w_ref - w,   u = kp (w_ref - w) + ki e
-- Reference: a linear system, solved by the exponential of its matrix (4 x 4, with 30 digits): at t = 1 s
-- w = 20.0007529500 rad/s, i = 1.69985128664 A.
model "DC motor"
local R, L, K = 1.2, 0.02, 0.08             -- ohm, H, V s
local J, d = param("J", 2e-3), 1e-3         -- kg m^2, N m s
local kp, ki = param("kp", 0.6), param("ki", 4.0)
local w_ref = param("w_ref", 20.0)          -- rad/s

ground { shape = { { tube = {0.075, 0.068, 0.12}, color = "silver" }, { box = {0.17, 0.17, 0.02}, at = {0, 0, -0.09} } } }
body { name = "rotor", mass = 0.5, inertia = {2e-3, 2e-3, J},
       shape = { { cylinder = {0.06, 0.1}, color = "orange" }, { cylinder = {0.012, 0.3} }, { box = {0.1, 0.02, 0.02}, at = {0, 0, 0.14} } } }
joint { name = "shaft", type = "revolute", bodies = {"ground", "rotor"}, at = {0, 0, 0}, axis = {0, 0, 1} }
input { name = "load", value = 0.116, unit = "N m" }
state { name = "e", unit = "rad", rate = function(t, s) return w_ref - s.joints.shaft.rate end }
state { name = "i", unit = "A", rate = function(t, s)
    local w = s.joints.shaft.rate
    return (kp*(w_ref - w) + ki*s.states.e - R*s.states.i - K*w)/L
end }
actuator { name = "motor", joint = "shaft", d = d,
           effort = function(t, s) return K*s.states.i - s.inputs.load end }
sensor { name = "speed", type = "joint_rate", joint = "shaft" }
sensor { name = "current", custom = function(t, s) return s.states.i end }
sensor { name = "peak", type = "power", of = "motor", over_time = "max" }
run { t_end = 1, h = 1e-3 }
