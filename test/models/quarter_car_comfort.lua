-- models/quarter_car.lua with an objective.
model "quarter car"
local ks, ds = param("ks", 5.6e4), param("ds", 4.5e3)    -- strut, N/m, N s/m
local kt, dt = param("kt", 2e5), param("dt", 300)        -- tyre
local r, v = 0.3, param("v", 10.0)                       -- radius of the wheel, speed
local bump = param("bump", 0.05)                         -- m
local road = curve({0, 5, 5.5, 6, 6.5, 7}, {0, 0, bump, bump, 0, 0}, {kind = "monotone"})
gravity {0, 0, -9.81}

-- y to the left, z up; inner ends at the body, outer ends at the upright
local lower_in, lower_out = {0, 0.35, 0.20}, {0, 0.75, 0.18}
local upper_in, upper_out = {0, 0.45, 0.45}, {0, 0.72, 0.46}
local function middle(a, b) return {0, (a[2] + b[2])/2, (a[3] + b[3])/2} end
local x = {1, 0, 0}

body { name = "chassis", mass = 400, inertia = {50, 50, 50}, position = {0, 0, 0.5} }
body { name = "lower", mass = 8, inertia = {0.15, 0.05, 0.15}, position = middle(lower_in, lower_out) }
body { name = "upper", mass = 6, inertia = {0.08, 0.03, 0.08}, position = middle(upper_in, upper_out) }
body { name = "upright", mass = 45, inertia = {1.2, 1.8, 1.2}, position = {0, 0.80, r} }

joint { name = "ride", type = "prismatic", bodies = {"ground", "chassis"}, axis = {0, 0, 1} }
joint { name = "lower_in", type = "revolute", bodies = {"chassis", "lower"}, at = lower_in, axis = x }
joint { name = "upper_in", type = "revolute", bodies = {"chassis", "upper"}, at = upper_in, axis = x }
joint { name = "lower_out", type = "revolute", bodies = {"lower", "upright"}, at = lower_out, axis = x }
joint { name = "upper_out", type = "revolute", bodies = {"upper", "upright"}, at = upper_out, axis = x }
spring { name = "strut", bodies = {"chassis", "lower"}, at_a_world = {0, 0.42, 0.65}, at_b_world = {0, 0.60, 0.19},
         k = ks, d = ds, length = 0.56 }
force { name = "tyre", body = "upright", value = function(t, s)
    local z, w = s.upright.position.z, s.upright.velocity.z
    local press = r + road(v*t) - z
    return 0, 0, math.max(0, kt*press - dt*w)
end }
sensor { name = "hub", type = "position", body = "upright" }
sensor { name = "tyre", custom = function(t, s)
    return math.max(0, kt*(r + road(v*t) - s.upright.position.z) - dt*s.upright.velocity.z)
end }
sensor { name = "peak", type = "acceleration", body = "chassis", over_time = "max_abs" }
objective { name = "comfort", integral = function(t, s) return s.chassis.acceleration.z^2 + 1e-6*(kt*(r + road(v*t) - s.upright.position.z))^2 end,
            final = function(s) return 10*s.chassis.position.z^2 end }
run { t_end = 0.8, h = 1e-3 }
