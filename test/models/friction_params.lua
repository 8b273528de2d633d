-- A slider on a rough rail, a bar on a rough pin of the slider, a ball on a rough socket of the bar.
model "friction of parameters"

local rail  = param("rail", 0.3)
local pin   = param("pin", 0.2)
local ball  = param("ball", 0.25)
local lever = param("lever", 0.05)
local slow  = param("slow", 0.1)                           -- speed below which friction is smooth

gravity {0, 0, -9.81}
body  { name = "slider", mass = 2, inertia = {0.1, 0.12, 0.15}, position = {0, 0, 0}, velocity = {0.5, 0, 0} }
body  { name = "bar", mass = 1, inertia = {0.01, 0.08, 0.08}, position = {0.4, 0, 0}, velocity = {0.5, 0, -0.4},
        omega = {0, 1, 0} }
body  { name = "ball", mass = 0.5, inertia = {0.02, 0.03, 0.04}, position = {0.8, 0, -0.2},
        velocity = {0.5, 0.2, -0.8}, omega = {1, 0, 3} }

joint { name = "rail", type = "prismatic", bodies = {"ground", "slider"}, at = {0, 0, 0}, axis = {1, 0, 0},
        friction = rail, friction_speed = slow }
joint { name = "pin", type = "revolute", bodies = {"slider", "bar"}, at = {0, 0, 0}, axis = {0, 1, 0},
        friction = pin, friction_radius = lever, friction_speed = slow }
joint { name = "ball", type = "spherical", bodies = {"bar", "ball"}, at = {0.8, 0, 0},
        friction = ball, friction_radius = lever, friction_speed = slow }

objective{ name = "J", final = function(s) return s.slider.position.x end,
           integral = function(t, s) return s.ball.omega.z^2 + s.bar.velocity.x end }

run   { t_end = 0.05, h = 5e-4, formulation = "ggl" }
