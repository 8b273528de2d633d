-- Heavy top: a fast top on a spherical joint, the standard test of Lie group integrators.
--
-- Origin: M. Arnold, O. Bruls, A. Cardona, Numer. Math. 129 (2015); S. Holzinger, M. Arnold, J. Gerstmayr,
-- sigma-modified Lie group generalized-alpha methods, section 7.1.
-- Reference (independent, in high precision): centre of mass and force of the pivot on the top
--   t = 0.1   x =  0.421296658925402  0.894571974345593 -0.149164700561900
--             F = -361.056004787116  -295.393173011226  -212.267171855119
--   t = 1     x =  0.173343964098386  0.640088592070569 -0.748490791133581
--             F = -517.600739476900  -396.843101489554   404.574925162885
--             Omega = -0.822078101682704 150 -5.92329134811734
model "heavy top"

local m = param("m", 15.0)
gravity {0, 0, -9.81}

-- The velocity of the centre of mass follows from the joint: Omega x (0, 1, 0) = (4.61538, 0, 0).
body  { name = "top", mass = m, inertia = {0.234375, 0.46875, 0.234375},
        position = {0, 1, 0}, omega = {0, 150, -4.61538},
        shape = { { cylinder = {0.25, 0.04}, rotation = {axis = {1, 0, 0}, angle = math.pi/2}, color = "blue" },
                  { box = {0.44, 0.05, 0.05}, color = "orange" },           -- to see it spin
                  { cylinder = {0.03, 1}, at = {0, -0.5, 0}, rotation = {axis = {1, 0, 0}, angle = math.pi/2},
                    color = "silver" } } }
joint { name = "pivot", type = "spherical", bodies = {"ground", "top"}, at = {0, 0, 0} }

sensor{ name = "tip", type = "position", body = "top", at = {0, 1, 0} }
sensor{ name = "reaction", type = "reaction", joint = "pivot" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 1.0, h = 1e-3, method = "genalpha", sigma = 1, rho = 0.9, formulation = "ggl" }
