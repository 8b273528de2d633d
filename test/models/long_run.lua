-- A pendulum on a hinge with a damped spring: a run of any length has derivatives that do not grow.
model "long run"

local m = param("m", 2)
local k = param("k", 30)
local l = param("length", 0.8)

gravity {0, 0, -9.81}
body  { name = "bob", mass = m, inertia = {0.1, 0.2, 0.3}, position = {l, 0, 0} }
joint { name = "pivot", type = "revolute", bodies = {"ground", "bob"}, at = {0, 0, 0}, axis = {0, 1, 0} }
spring{ name = "spring", bodies = {"ground", "bob"}, at_a = {0, 0, 1}, at_b = {0, 0, 0}, k = k, d = 0.05, length = 1 }

objective{ name = "J", final = function(s) return s.bob.position.x end,
           integral = function(t, s) return s.bob.position.z^2 + 0.01*s.bob.omega.y^2 end }

run   { t_end = 100, h = 1e-3, formulation = "index3" }
