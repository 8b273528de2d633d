-- High-speed rotor: a rigid shaft at 200 000 rpm in two elastic bearings, unbalanced by a constant torque.
--
-- Origin: S. Holzinger, M. Arnold, J. Gerstmayr, sigma-modified Lie group generalized-alpha methods, 7.2,
-- with the mass printed there (its J and d belong to 1.2330751165 kg).
-- Reference (independent, in high precision), ends of the shaft in the bearings; precession period 2.535 s:
--   t = 0.1   p2 = 0.089999986406217956 4.6924602221328e-6 3.6468318458508e-5
--   t = 1     p1 = -0.11000000041258325 -2.67208459632658e-4 -9.1564223188698e-5
--             p2 =  0.089999201656640872 2.67230924335315e-4  9.1592044851952e-5
-- Error of p2 at t = 0.1 with the run below, sigma 0 / 1 / opt: 2.104e-6 / 8.776e-7 / 1.286e-6.
model "rotor"

local m    = param("m", 1.223)
local spin = param("spin", 20943.951023931955)             -- rad/s about the shaft
local k, d = 4000, 5.165093                                -- of each bearing, N/m and N s/m

gravity {0, 0, 0}
body    { name = "rotor", mass = m, inertia = {0.001541, 0.000812, 0.000812}, position = {0, 0, 0},
          velocity = {0, 0, 0}, omega = {spin, 0, 0},
          shape = { { cylinder = {0.05, 0.03}, rotation = {axis = {0, 1, 0}, angle = math.pi/2}, color = "blue" },
                    { box = {0.031, 0.098, 0.01}, color = "orange" }, -- so that it is seen to turn
                    { cylinder = {0.008, 0.22}, at = {-0.01, 0, 0}, rotation = {axis = {0, 1, 0}, angle = math.pi/2}, color = "silver" } } }
bushing { name = "left",  bodies = {"ground", "rotor"}, at_a = {-0.11, 0, 0}, at_b = {-0.11, 0, 0},
          k = {k, k, k}, d = {d, d, d} }
bushing { name = "right", bodies = {"ground", "rotor"}, at_a = {0.09, 0, 0}, at_b = {0.09, 0, 0},
          k = {0, k, k}, d = {0, d, d} }
torque  { name = "tilt", body = "rotor", value = {0, 0, 0.01 * m * 9.81} }

sensor  { name = "p1", type = "position", body = "rotor", at = {-0.11, 0, 0} }
sensor  { name = "p2", type = "position", body = "rotor", at = {0.09, 0, 0} }
sensor  { name = "v1", type = "velocity", body = "rotor", at = {-0.11, 0, 0} }
sensor  { name = "v2", type = "velocity", body = "rotor", at = {0.09, 0, 0} }

run     { t_end = 1.0, h = 2.5e-5, sigma = 1, rho = 0.9, formulation = "index3", start = "plain" }
