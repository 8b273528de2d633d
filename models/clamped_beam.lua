-- Clamped beam: free vibrations of a slender beam, for `polhode modes`, with each of the mass models.
--
-- Bending frequencies [rad/s] of Timoshenko's beam, exact, each twice: 3.797562870 23.792645105 66.591733713 130.412136338.
-- Others: axial and torsion 758.766712104. The first three bending frequencies of the element:
--   mass = 0, lumped,     n = 8   3.781821968 23.711066395 67.451425099    n = 16  3.793628865 23.770520894 66.759287094
--   mass = 1, linear,     n = 8   3.804680288 24.724724896 74.461977571    n = 16  3.799366522 24.022206043 68.455778487
--   mass = 2, helicoidal, n = 8   3.809085027 24.306332663 70.120841215    n = 16  3.800437478 23.918856541 67.439662723
-- With residual bending flexibility and helicoidal mass (mass = 3, as here) errors are 6.5e-6, 2.5e-4, 1.9e-3 with 8 elements
-- and 15 times less with twice as many: nearly of order 4. With the other masses rbf leaves order 2.
model "clamped beam"

local n, mass = math.floor(param("n", 8)), math.floor(param("mass", 3))

beam  { name = "rod", from = {0, 0, 0}, to = {10, 0, 0}, n = n, ends = {"clamped", "free"}, rbf = mass == 3,
        mass_model = ({"lumped", "linear", "helicoidal", "helicoidal"})[mass + 1],
        section = {EA = 2.8e7, GA = 1e7, GJ = 1.4e4, EI = 1.4e4}, mass = {rhoA = 1.2, J = {6e-4, 6e-4, 6e-4}} }
force { name = "shaker", body = "rod." .. n, value = function(t) return 0, 10 * math.sin(3 * t), 0 end }    -- when it is run

sensor{ name = "tip", type = "position", body = "rod." .. n }
sensor{ name = "energy", type = "energy" }

run   { t_end = 4, h = 5e-3, space = "SE3", rho = 0.9, every = 10 }
