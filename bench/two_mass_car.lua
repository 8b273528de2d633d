-- A quarter of a car as two masses, with a tyre that is a function of the file: what a step costs with the function traced,
-- and (--set ask=1) where a comparison for equality keeps it in Lua.
model "two masses of a car"
local ask = param("ask", 0)
gravity {0, 0, -9.81}
particle { name = "chassis", mass = 400, position = {0, 0, 0.5} }
particle { name = "wheel", mass = 45, position = {0, 0, 0.3} }
spring { name = "strut", bodies = {"chassis", "wheel"}, k = 2e4, d = 1500, length = 0.4 }
local road = curve({0, 5, 5.5, 6, 6.5, 7}, {0, 0, 0.05, 0.05, 0, 0}, {kind = "monotone"})
force { name = "tyre", body = "wheel", value = function(t, s)
    local z, w = s.wheel.position.z, s.wheel.velocity.z
    if ask == 1 and w == 17.25 then w = 0 end
    return 0, 0, math.max(0, 2e5*(0.3 + road(10*t) - z) - 300*w)
end }
run { t_end = 2, h = 1e-4 }
