-- Spatial slider-crank: crank in the plane x = 0, slider along x, driven by nothing but its initial speed.
--
-- Origin: IFToMM library of computational benchmark problems; S. Holzinger, M. Arnold, J. Gerstmayr,
-- sigma-modified Lie group generalized-alpha methods, section 7.3.
-- Reference (independent, in high precision); period 0.578897439600710:
--   t = 1   theta = 10.913590729864668   s = 0.211721661393443778  sdot = -0.50349186492501
--   t = 2   theta = 21.0727445227764765  s = 0.289085197067141782  sdot =  0.2165394234534353
-- At t = 0: sdot = 0.24, rod omega = (1.92, -0.96, 0.48) in the world, velocity (0.12, -0.24, 0).
-- Error of s at t = 2 with the run below: 1.23e-6; index-3, sigma 0 / 1 / opt: 2.42e-5 / 2.07e-5 / 2.18e-5.
model "spatial slider-crank"

local r     = param("crank", 0.08)
local l     = param("rod", 0.3)
local theta = param("theta", 0)                            -- crank angle at t = 0, from +z about +x
local speed = param("speed", 6)                            -- and its rate

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end
local function sum(a, s, b) return {a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3]} end
local function unit(a) return sum({0, 0, 0}, 1 / math.sqrt(dot(a, a)), a) end
local function middle(a, b) return {(a[1] + b[1]) / 2, (a[2] + b[2]) / 2, (a[3] + b[3]) / 2} end

-- Positions: |C - B| = l gives s. Velocities: (C - B) . (vC - vB) = 0 gives sdot.
local A  = {0, 0.1, 0.12}
local B  = sum(A, r, {0, -math.sin(theta), math.cos(theta)})
local vB = {0, -r * speed * math.cos(theta), -r * speed * math.sin(theta)}
local s  = math.sqrt(l^2 - B[2]^2 - B[3]^2)
local C  = {s, 0, 0}
local vC = {-(B[2] * vB[2] + B[3] * vB[3]) / s, 0, 0}

-- Rod: its own x axis from B to C, its y axis normal to the rod and to e_x. The universal joint keeps
-- y . e_x = 0, so omega . (y x e_x) = 0; this fixes the spin in omega = d x (vC - vB) / l^2 + spin d.
local ex   = {1, 0, 0}
local d    = sum(C, -1, B)
local x    = unit(d)
local y    = unit(cross(d, ex))
local z    = cross(x, y)
local turn = sum({0, 0, 0}, 1 / l^2, cross(d, sum(vC, -1, vB)))
local n    = cross(y, ex)
local w    = sum(turn, -dot(turn, n) / dot(d, n), d)

gravity {0, 0, -9.81}
body  { name = "crank", mass = 0.12, inertia = {1e-4, 1e-4, 1e-5}, position = middle(A, B),
        rotation = {axis = ex, angle = theta}, velocity = middle({0, 0, 0}, vB), omega = {speed, 0, 0} }
body  { name = "rod", mass = 0.5, inertia = {4e-4, 4e-3, 4e-3}, position = middle(B, C),
        rotation = {matrix = {{x[1], y[1], z[1]}, {x[2], y[2], z[2]}, {x[3], y[3], z[3]}}},
        velocity = middle(vB, vC), omega = {dot(x, w), dot(y, w), dot(z, w)}, shape = { box = {l, 0.02, 0.02}, color = "orange" } }
body  { name = "slider", mass = 2, inertia = {1e-4, 1e-4, 1e-4}, position = C,
        velocity = vC, omega = {0, 0, 0}, shape = { box = {0.07, 0.06, 0.06}, color = "green" } }

joint { name = "A", type = "revolute",  bodies = {"ground", "crank"}, at = A, axis = ex }
joint { name = "B", type = "spherical", bodies = {"crank", "rod"}, at = B }
joint { name = "C", type = "universal", bodies = {"slider", "rod"}, at = C, axis_a = ex, axis_b = y }
joint { name = "D", type = "prismatic", bodies = {"ground", "slider"}, at = C, axis = ex }

sensor{ name = "s", type = "position", body = "slider" }            -- (s, 0, 0)
sensor{ name = "theta", type = "angle", joint = "A" }               -- since t = 0
sensor{ name = "sdot", type = "rate", joint = "D" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 2.0, h = 1e-3, sigma = 1, rho = 0.875, formulation = "ggl" }
