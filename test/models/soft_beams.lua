-- Three soft beams on hinges, one for each mass model: for derivatives by their parameters (test_beam_sens.c).
model "soft beams"

local EA, EI = param("EA", 200), param("EI", 4)
local rhoA, L = param("rhoA", 1), param("L", 1)

gravity {0, 0, -9.81}
for k, mass in ipairs {"lumped", "linear", "helicoidal"} do
    local beam_name = "rod" .. k
    beam  { name = beam_name, from = {0, k, 0}, to = {L, k, 0.2 * L}, n = 2, frame = {0, 1, 0}, mass_model = mass,
            section = {EA = EA, GA = 100, GJ = 3, EI = EI}, damping = 1e-3, rbf = true,
            mass = {rhoA = rhoA, J = {0.1, 0.05, 0.05}} }
    joint { name = "hinge" .. k, type = "revolute", bodies = {"ground", beam_name .. ".0"}, at = {0, k, 0}, axis = {0.3, 1, 0} }
end

run   { t_end = 0.5, h = 1e-3 }
