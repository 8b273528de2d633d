-- A driven arm of two links on springs: constraints, springs, dampers, and an input that jumps.
model "sprung arm"
gravity {0, 0, -9.81}
input { name = "u", hold = "step" }
body { name = "upper", mass = param("m", 1), inertia = {0.1, 0.2, 0.3}, position = {0.5, 0, 0} }
body { name = "lower", mass = 0.3, inertia = {0.02, 0.01, 0.03}, position = {1.3, 0, 0} }
joint { name = "shoulder", type = "revolute", bodies = {"ground", "upper"}, at = {0, 0, 0}, axis = {0, 1, 0} }
joint { name = "elbow", type = "spherical", bodies = {"upper", "lower"}, at = {1, 0, 0} }
actuator { name = "motor", joint = "shoulder", k = param("k", 50), d = 2, effort = "u" }
spring { name = "cord", bodies = {"ground", "lower"}, at_a = {1.5, 0.5, 0.5}, at_b = {1.6, 0, 0}, k = param("c", 30), d = 1 }
sensor { name = "x", type = "position", body = "lower" }
sensor { name = "v", type = "velocity", body = "lower" }
sensor { name = "force", type = "reaction", joint = "elbow" }
objective { name = "height", final = function(s) return s.lower.position.z + 0.1*s.lower.velocity.x end }
objective { name = "swing", integral = function(t, s) return s.lower.position.z^2 end }
run { t_end = 0.8, h = 1e-3 }
