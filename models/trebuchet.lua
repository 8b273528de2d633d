-- A trebuchet: a counterweight falls, a beam turns, and a sling throws a stone. Two joints are released on the way: the trough
-- on which the stone slides, where it ends, and the sling, where the stone flies up at 45 degrees. The run ends where the
-- stone meets the ground.
-- Own numbers. Reference: rkmk with dopri8 and tol = 1e-12: the stone lands at x = 131.418187 m.
model "trebuchet"
gravity {0, 0, -g0}
local M, m = param("M", 800.0), param("m", 8.0)      -- kg: counterweight, stone
local long, short = 4.0, 1.0                         -- m: arms of the beam
local rope = param("rope", 3.2)                      -- m: sling
local height, low = 3.0, -2.8                        -- m: of the pivot above the trough; the tip of the long arm below it

local c = math.sqrt(long^2 - low^2)/long             -- the beam points from the short arm to the tip along {-c, 0, low/long}
local tip = {-long*c, 0, height + low}
local tail = {short*c, 0, height - low*short/long}
local middle = {(tip[1] + tail[1])/2, 0, (tip[3] + tail[3])/2}
local stone = {tip[1] + math.sqrt(rope^2 - tip[3]^2), 0, 0}

ground { shape = { { box = {0.3, 0.2, 3}, at = {0, 0.4, 1.5} }, { box = {0.3, 0.2, 3}, at = {0, -0.4, 1.5} } } }
body { name = "beam", mass = 120, inertia = {250, 250, 250}, position = middle,
       shape = { box = {long + short, 0.25, 0.3}, rotation = {axis = {0, 1, 0}, angle = math.atan(-low/long, -c)}, color = "orange" } }
body { name = "weight", mass = M, inertia = {60, 60, 60}, position = {tail[1], 0, tail[3] - 0.6},
       shape = { box = {0.9, 0.9, 0.9} } }
particle { name = "stone", mass = m, position = stone }

joint { name = "pivot", type = "revolute", bodies = {"ground", "beam"}, at = {0, 0, height}, axis = {0, 1, 0} }
joint { name = "hinge", type = "revolute", bodies = {"beam", "weight"}, at = tail, axis = {0, 1, 0} }
joint { name = "sling", type = "distance", bodies = {"beam", "stone"}, at_a_world = tip }
joint { name = "trough", type = "point_on_line", bodies = {"ground", "stone"}, at = stone, axis = {1, 0, 0} }

event { name = "lift", direction = "down", action = {release = "trough"},
        when = function(t, s) return s.stone.position.x - (tip[1] + 0.8) end }
event { name = "throw", direction = "up", action = {release = "sling"},
        when = function(t, s) return s.stone.velocity.x - s.stone.velocity.z end }
event { name = "land", direction = "down", action = "stop",
        when = function(t, s) return s.stone.position.z + 0.5 end }

sensor { name = "distance", custom = function(t, s) return s.stone.position.x end }
sensor { name = "speed", type = "velocity", body = "stone" }
run { t_end = 10, h = 2e-3 }
