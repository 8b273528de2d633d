-- A slider whose force jumps at 0.05 s flies against its stop at 0.0951 s; from 0.1 s on no force acts.
model "jump before a stop"
input { name = "u", hold = "step" }
body { name = "b", mass = 1, inertia = {1e-2, 1e-2, 1e-2}, velocity = {-0.33, 0, 0} }
joint { name = "rail", type = "prismatic", bodies = {"ground", "b"}, axis = {1, 0, 0} }
force { body = "b", value = function(t, s) return s.inputs.u, 0, 0 end }
actuator { name = "stop", joint = "rail", stops = {-0.0325, 0.5}, stop_k = 1e6 }
sensor { name = "x", type = "angle", joint = "rail" }
sensor { name = "v", type = "rate", joint = "rail" }
run { t_end = 0.15, h = 0.05 }
