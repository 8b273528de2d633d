-- Marbles fall into a box: contacts by functions, with dampers that only press. Constant steps fail where several close at once.
model "marbles"
gravity {0, 0, -g0}
local radius, k, d = 0.05, param("k", 1e4), param("d", 60)
local function push(depth, rate) return depth > 0 and math.max(0, k*depth - d*rate) or 0 end
for i = 1, param("n", 12) do
    local own = "m" .. i
    local row, layer = math.floor((i - 1)/3) % 3, math.floor((i - 1)/9)
    body { name = own, mass = 0.5, inertia = {5e-4, 5e-4, 5e-4},
           position = {0.12*((i - 1) % 3) - 0.12 + 0.0024*i, 0.12*row - 0.12 + 0.002*i, 0.1 + 0.12*layer},
           shape = {sphere = radius} }
    force { body = own, value = function(t, s)
        local p, v = s.position, s.velocity
        return push(radius - (p.x + 0.2), v.x) - push(radius - (0.2 - p.x), -v.x),
               push(radius - (p.y + 0.2), v.y) - push(radius - (0.2 - p.y), -v.y), push(radius - p.z, v.z) end }
    for j = 1, i - 1 do
        local other = "m" .. j
        local function press(s)
            local p, q, v, w = s[own].position, s[other].position, s[own].velocity, s[other].velocity
            local x, y, z = p.x - q.x, p.y - q.y, p.z - q.z
            local l = math.sqrt(x^2 + y^2 + z^2)
            local f = push(2*radius - l, ((v.x - w.x)*x + (v.y - w.y)*y + (v.z - w.z)*z)/l)/l
            return f*x, f*y, f*z
        end
        force { body = own, value = function(t, s) return press(s) end }
        force { body = other, value = function(t, s) local x, y, z = press(s) return -x, -y, -z end }
    end
end
sensor { name = "low", custom = function(t, s) return s.m1.position.z end, over_time = "min" }
objective { name = "place", final = function(s) return s.m1.position.z + s.m5.position.x + 0.1*s.m4.velocity.y end }
run { t_end = 0.4, h = 1e-3 }
