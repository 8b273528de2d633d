-- A Stewart platform: six legs, each a cylinder on a universal joint and a rod under a ball joint of the platform, moved by a
-- force along its slide that a PID controller finds from its length.
-- Reference: lengths come from the pose by geometry (below), the pose from lengths by the mechanism; the controllers have
-- integrals, so that at the end the platform is where it was told to be: position {0.10, -0.05, 1.30}, turned by 0.15 rad
-- about {1, 2, 2}/3, which is the quaternion {0.99718882, 0.02497657, 0.04995314, 0.04995314}.
model "Stewart platform"
local kp, kd, ki = param("kp", 4e4), param("kd", 4e3), param("ki", 6e4)
local start, goal, angle = {0, 0, 1.2}, {0.10, -0.05, 1.30}, 0.15
local axis = {1/3, 2/3, 2/3}
gravity {0, 0, -9.81}

local function on_circle(radius, a, z) return {radius*math.cos(a), radius*math.sin(a), z} end
local function minus(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function plus(a, b, f) f = f or 1 return {a[1] + f*b[1], a[2] + f*b[2], a[3] + f*b[3]} end
local function cross(a, b) return {a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1]} end
local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end
local function length(a) return math.sqrt(dot(a, a)) end
local function unit(a) local n = length(a) return {a[1]/n, a[2]/n, a[3]/n} end
-- Rodrigues' formula
local function turn(p, c, s)
    local across, along = cross(axis, p), dot(axis, p)
    return {p[1]*c + across[1]*s + axis[1]*along*(1 - c), p[2]*c + across[2]*s + axis[2]*along*(1 - c),
            p[3]*c + across[3]*s + axis[3]*along*(1 - c)}
end

body { name = "platform", mass = 60, inertia = {3, 3, 6}, position = start,
       shape = { cylinder = {0.64, 0.05}, color = "blue" } }
ground { shape = { cylinder = {1.1, 0.04}, at = {0, 0, -0.05}, color = "silver" } }
for i = 1, 6 do
    local third, side = math.floor((i - 1)/2)*2*math.pi/3, (i % 2)*2 - 1
    local foot = on_circle(1.0, third + side*0.25, 0)
    local head = on_circle(0.6, third + side*(math.pi/3 - 0.25), 0)   -- in the platform
    local top = plus(start, head)
    local leg = minus(top, foot)
    local e, L = unit(leg), length(leg)
    local square = unit(cross(e, {0, 0, 1}))
    -- lengths from the pose, by geometry
    local want = length(minus(plus(goal, turn(head, math.cos(angle), math.sin(angle))), foot)) - L
    local c, r, u, slide, ball = "cylinder" .. i, "rod" .. i, "foot" .. i, "leg" .. i, "ball" .. i
    local along = {axis = unit({-e[2], e[1], 0}), angle = math.acos(e[3])}   -- from z to the leg, for pictures
    body { name = c, mass = 4, inertia = {0.2, 0.2, 0.2}, position = plus(foot, e, 0.35),
           shape = { cylinder = {0.05, 0.7}, rotation = along, color = "orange" } }
    body { name = r, mass = 2, inertia = {0.1, 0.1, 0.1}, position = plus(top, e, -0.3),
           shape = { cylinder = {0.022, 0.6}, rotation = along, color = "silver" } }
    joint { name = u, type = "universal", bodies = {"ground", c}, at = foot, axis_a = square, axis_b = cross(e, square) }
    joint { name = slide, type = "prismatic", bodies = {c, r}, at = top, axis = e }
    joint { name = ball, type = "spherical", bodies = {r, "platform"}, at = top }
    -- a smooth way to the goal within a second
    local function way(t) return want*smoothstep(0, 1, t) end
    state { name = "sum" .. i, unit = "m s", rate = function(t, s) return way(t) - s.joints[slide].position end }
    actuator { name = "motor" .. i, joint = slide, effort = function(t, s)
        local leg = s.joints[slide]
        return kp*(way(t) - leg.position) - kd*leg.rate + ki*s.states["sum" .. i]
    end }
    sensor { name = "force" .. i, type = "effort", of = "motor" .. i }
end
sensor { name = "position", type = "position", body = "platform" }
sensor { name = "rotation", type = "rotation", body = "platform" }
run { t_end = 8, h = 4e-3 }
