-- A pendulum on a hinge with a spring, without damping: its energy stays.
model "free pendulum"

local m = param("m", 2)
local k = param("k", 30)
local l = param("length", 0.8)

gravity {0, 0, -9.81}
body  { name = "bob", mass = m, inertia = {0.1, 0.2, 0.3}, position = {l, 0, 0} }
joint { name = "pivot", type = "revolute", bodies = {"ground", "bob"}, at = {0, 0, 0}, axis = {0, 1, 0} }
spring{ name = "spring", bodies = {"ground", "bob"}, at_a = {0, 0, 1}, at_b = {0, 0, 0}, k = k, length = 1 }

run   { t_end = 100, h = 1e-3 }
