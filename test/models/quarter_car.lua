-- A wheel on double wishbones with a tie rod: closed loops through the chassis, all of them regular.
-- Two freedoms: the chassis moves up and down, and so does the wheel.
model "quarter car"

local low_in, high_in, tie_in    = {0, 0.3, 0.2}, {0, 0.35, 0.5}, {-0.15, 0.32, 0.25}
local low_out, high_out, tie_out = {0, 0.7, 0.18}, {-0.02, 0.65, 0.48}, {-0.15, 0.7, 0.23}

gravity {0, 0, -9.81}
body { name = "chassis", mass = 300, inertia = {50, 50, 50}, position = {0, 0, 0.5} }
body { name = "low", mass = 4, inertia = {0.05, 0.03, 0.08}, position = {0, 0.5, 0.19} }
body { name = "high", mass = 2.5, inertia = {0.02, 0.012, 0.03}, position = {-0.01, 0.5, 0.49} }
body { name = "upright", mass = 25, inertia = {0.6, 0.9, 0.6}, position = {0, 0.75, 0.3} }
body { name = "tie", mass = 0.8, inertia = {0.01, 1e-4, 0.01}, position = {-0.15, 0.51, 0.24} }

joint { name = "guide", type = "prismatic", bodies = {"ground", "chassis"}, axis = {0, 0, 1} }
joint { name = "low_in", type = "revolute", bodies = {"chassis", "low"}, at = low_in, axis = {1, 0, 0} }
joint { name = "high_in", type = "revolute", bodies = {"chassis", "high"}, at = high_in, axis = {1, 0, 0} }
joint { name = "tie_in", type = "universal", bodies = {"chassis", "tie"}, at = tie_in, axis_a = {1, 0, 0},
        axis_b = {0, 0.05, 1} }
joint { name = "low_out", type = "spherical", bodies = {"low", "upright"}, at = low_out }
joint { name = "high_out", type = "spherical", bodies = {"high", "upright"}, at = high_out }
joint { name = "tie_out", type = "spherical", bodies = {"tie", "upright"}, at = tie_out }

spring { name = "strut", bodies = {"chassis", "low"}, at_a_world = {0, 0.4, 0.7}, at_b_world = {0, 0.55, 0.2},
         k = 25000, d = 1500, length = 0.65 }
spring { name = "tyre", bodies = {"ground", "upright"}, at_a_world = {0, 0.75, -0.3},
         at_b_world = {0, 0.75, 0.3}, k = 180000, d = 50, length = 0.61 }

run { t_end = 1, h = 1e-3 }
