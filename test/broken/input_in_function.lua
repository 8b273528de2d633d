-- expect 3: force 'f': there is no input 'torqe'; did you mean 'torque'?
input { name = "torque" }
force { name = "f", body = "a", value = function(t, s) return s.inputs.torqe, 0, 0 end }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
