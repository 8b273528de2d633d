-- A slider flies against the soft stop of an actuator, and comes back with the same speed.
model "soft stop"
body { name = "slider", mass = 1, inertia = {0.01, 0.01, 0.01}, velocity = {1, 0, 0} }
joint { name = "rail", type = "prismatic", bodies = {"ground", "slider"}, axis = {1, 0, 0} }
actuator { name = "stop", joint = "rail", stops = {-0.5, param("at", 0.5)}, stop_k = param("k", 1e8), stop_width = 1e-4 }
sensor { name = "v", type = "rate", joint = "rail" }
run { t_end = 0.8, h = 1e-3 }
