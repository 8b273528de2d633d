-- A chain of n rods that hangs at rest from spherical joints with dampers; a force pushes its end.
model "hanging chain"
local n, d = param("n", 600), param("d", 0)
gravity {0, 0, -9.81}
input { name = "push", value = 0 }
local last = "ground"
for i = 1, n do
    local b, at = "b" .. i, {0, 0, -(i - 1)/n}
    body { name = b, mass = 1/n, inertia = {1/(12*n^3), 1/(12*n^3), 1e-3/n^3}, position = {0, 0, -(i - 0.5)/n} }
    joint { name = "j" .. i, type = "spherical", bodies = {last, b}, at = at }
    bushing { name = "f" .. i, bodies = {last, b}, at_a_world = at, at_b_world = at, k = {0, 0, 0}, d = {0, 0, 0}, kr = {0, 0, 1e-2}, dr = {d, d, d} }
    last = b
end
force { name = "pull", body = last, at = {0, 0, -0.5/n}, value = function(t, s) return s.inputs.push, 0, 0 end }
sensor { name = "end", type = "position", body = last, at = {0, 0, -0.5/n} }
run { t_end = 0.1, h = 1e-3 }
