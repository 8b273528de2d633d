-- A platform on six legs, each of two parts with a slider between them: five loops through the platform.
-- driven 1: the sliders follow functions, which leaves no freedom; 0: springs.
model "Stewart platform"

local driven = param("driven", 0)
local height = 1.2

local function minus(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end
local function unit(a)
    local l = math.sqrt(a[1]^2 + a[2]^2 + a[3]^2)
    return {a[1] / l, a[2] / l, a[3] / l}
end

gravity {0, 0, -9.81}
body { name = "platform", mass = 50, inertia = {5, 5, 9}, position = {0, 0, height} }
for i = 1, 6 do
    local side   = i % 2 == 1 and -1 or 1
    local corner = 2 * math.pi / 3 * ((i - 1) // 2)
    local foot = {math.cos(corner + 0.25 * side), math.sin(corner + 0.25 * side), 0}
    local head = {0.6 * math.cos(corner + 0.8 * side), 0.6 * math.sin(corner + 0.8 * side), height}
    local x = unit(minus(head, foot))
    local y = unit(cross(x, {0, 0, 1}))
    local z = cross(x, y)
    local turn = {matrix = {{x[1], y[1], z[1]}, {x[2], y[2], z[2]}, {x[3], y[3], z[3]}}}
    local function at(s) return {foot[1] + s * x[1], foot[2] + s * x[2], foot[3] + s * x[3]} end
    local low, high = "low" .. i, "high" .. i
    body  { name = low, mass = 3, inertia = {0.002, 0.1, 0.1}, position = at(0.3), rotation = turn }
    body  { name = high, mass = 2, inertia = {0.001, 0.08, 0.08}, position = at(0.9), rotation = turn }
    joint { name = "foot" .. i, type = "universal", bodies = {"ground", low}, at = foot, axis_a = y, axis_b = z }
    joint { name = "slide" .. i, type = "prismatic", bodies = {low, high}, at = at(0.6), axis = x,
            drive = driven == 1 and function(t) return 0.05 * (math.sin(3 * t + i) - math.sin(i)) end or nil }
    joint { name = "head" .. i, type = "spherical", bodies = {high, "platform"}, at = head }
    if driven == 0 then
        spring { name = "leg" .. i, bodies = {low, high}, at_a_world = foot, at_b_world = head, k = 20000, d = 300 }
    end
end

run { t_end = 1, h = 1e-3 }
