-- A robot arm of six revolute joints under PD control, moved to a pose and pushed at its tool on the way.
-- Reference: in the end springs and weight balance, kp (q_ref - q) = dV/dq, V = sum m g z. A program of its own (products of
-- exponentials, Newton's method, 30 digits) gives
-- q = {0.5, -0.296941006886, 0.616881878530, 0.400998208673, -0.494415267554, 0.801800601733}.
model "robot arm"
gravity {0, 0, -9.81}
local push = param("push", 40.0)      -- N
local x, y, z = {1, 0, 0}, {0, 1, 0}, {0, 0, 1}
-- axis, a point of it, centre of mass, mass, moment of inertia, pose, gains
local links = {
    {z, {0, 0, 0.0}, {0, 0, 0.25}, 10, 0.3, 0.5, 2000, 200},
    {y, {0, 0, 0.5}, {0, 0, 0.8}, 8, 0.3, -0.3, 4000, 400},
    {y, {0, 0, 1.1}, {0.25, 0, 1.1}, 5, 0.12, 0.6, 2000, 150},
    {x, {0.5, 0, 1.1}, {0.6, 0, 1.1}, 2, 0.02, 0.4, 300, 15},
    {y, {0.7, 0, 1.1}, {0.75, 0, 1.1}, 1, 0.01, -0.5, 200, 10},
    {x, {0.8, 0, 1.1}, {0.85, 0, 1.12}, 0.5, 0.005, 0.8, 50, 2},
}
-- What pictures show of a link: its motor, and an arm to the next axis. Both are along x, y or z.
local function look(l, to)
    local axis, at, centre, radius = l[1], l[2], l[3], 0.02 + 0.012*math.sqrt(l[4])
    local function in_body(a, b) return {(a[1] + b[1])/2 - centre[1], 0, (a[3] + b[3])/2 - centre[3]} end
    local function along(d)
        return d[1] ~= 0 and {axis = {0, 1, 0}, angle = math.pi/2} or {axis = {1, 0, 0}, angle = d[2] ~= 0 and math.pi/2 or 0}
    end
    local way = {to[1] - at[1], 0, to[3] - at[3]}
    return { { capsule = {radius, math.abs(way[1]) + math.abs(way[3])}, at = in_body(at, to), rotation = along(way), color = "orange" },
             { cylinder = {1.7*radius, 3*radius}, at = in_body(at, at), rotation = along(axis), color = "grey" } }
end

local before = "ground"
for i, l in ipairs(links) do
    local name, joint_name = "link" .. i, "axis" .. i
    local axis, at, centre, mass, J, want, kp, kd = table.unpack(l)
    body { name = name, mass = mass, inertia = {J, J, J}, position = centre,
           shape = look(l, links[i + 1] and links[i + 1][2] or {0.95, 0, 1.1}) }
    joint { name = joint_name, type = "revolute", bodies = {before, name}, at = at, axis = axis }
    actuator { name = "motor" .. i, joint = joint_name, effort = function(t, s)
        local q = s.joints[joint_name]
        return kp*(want*smoothstep(0, 1, t) - q.position) - kd*q.rate
    end }
    sensor { name = "q" .. i, type = "joint_position", joint = joint_name }
    before = name
end
force { name = "push", body = "link6", value = function(t) return 0, t > 1.2 and t < 1.4 and push or 0, 0 end }
sensor { name = "tool", type = "position", body = "link6", at = {0.1, 0, 0} }
sensor { name = "torque2", type = "effort", of = "motor2", over_time = "max_abs" }
run { t_end = 4, h = 2e-3 }
