-- A ball on a floor that is a spring, which two events switch on and off, and a ball of two states that is thrown back at once.
-- Nothing is lost: both come back to their height for ever.
-- Reference: formulas. With v = sqrt(2 g h) the first falls and rises for 2 v/g, and stays on the floor for 2 (pi - atan(w v/g))/w,
-- w = sqrt(k/m); the second comes every 2 v/g.
model "bouncing ball"
gravity {0, 0, -g0}
local m, r, h = 0.5, 0.1, param("h", 0.8)   -- kg, m, m: height of the lowest point at the start
local k = param("k", 4000.0)                -- N/m
local e = param("e", 1.0)                   -- of the ball of states: what is left of its speed

body { name = "ball", mass = m, inertia = {2e-3, 2e-3, 2e-3}, position = {0, 0, r + h}, shape = {sphere = r} }
input { name = "contact", value = 0, hold = "step" }
force { name = "floor", body = "ball", value = function(t, s)
    return 0, 0, s.inputs.contact*k*(r - s.ball.position.z)
end }
local function gap(t, s) return s.ball.position.z - r end
event { name = "touch", when = gap, direction = "down", action = {set = {contact = 1}} }
event { name = "leave", when = gap, direction = "up", action = {set = {contact = 0}} }

state { name = "z", initial = h, unit = "m", rate = function(t, s) return s.states.w end }
state { name = "w", unit = "m/s", rate = function(t, s) return -g0 end }
event { name = "bounce", when = function(t, s) return s.states.z end, direction = "down",
        action = {state = {z = 0, w = function(t, s) return -e*s.states.w end}} }

sensor { name = "height", type = "position", body = "ball", at = {0, 0, -r} }
sensor { name = "z", custom = function(t, s) return s.states.z end }
run { t_end = 4, h = 1e-3 }
