-- A net of N x N bodies that hangs from its upper corners; rods without mass join neighbours, point to point.
-- polhode run bench/lattice.lua --set N=30 --t-end 0.02
model "lattice"

local N = math.floor(param("N", 10))
gravity {0, 0, -9.81}

local function name(i, j) return "b" .. i .. "_" .. j end
local function place(i, j) return {i, 0.05 * math.sin(i + 2 * j), -j} end

for i = 1, N do
    for j = 1, N do
        body { name = name(i, j), mass = 1, inertia = {0.02, 0.03, 0.04}, position = place(i, j) }
    end
end
local function rod(a, b, p, q)
    local at_a = {p[1] + 0.1 * (q[1] - p[1]), p[2] + 0.03, p[3] + 0.1 * (q[3] - p[3])}
    local at_b = {q[1] - 0.1 * (q[1] - p[1]), q[2] - 0.03, q[3] - 0.1 * (q[3] - p[3])}
    joint { name = a .. b, type = "distance", bodies = {a, b}, at_a = at_a, at_b = at_b }
end
for i = 1, N do
    for j = 1, N do
        if i < N then rod(name(i, j), name(i + 1, j), place(i, j), place(i + 1, j)) end
        if j < N then rod(name(i, j), name(i, j + 1), place(i, j), place(i, j + 1)) end
    end
end
joint { name = "left", type = "spherical", bodies = {"ground", name(1, 1)}, at = place(1, 1) }
joint { name = "right", type = "spherical", bodies = {"ground", name(N, 1)}, at = place(N, 1) }

run { t_end = 0.02, h = 1e-3, formulation = "index3" }
