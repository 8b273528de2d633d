-- Craig-Bampton: a flexible arm between two joints, on a hinge at one end, with a load that swings on a hinge at the other.
--
-- A square steel bar of 10 mm, 1 m long, with the frame in mean axes: static shapes of both ends and modes with both ends fixed, made
-- modes of the free bar. The hinges are not parallel, so that the bar is bent both ways and twisted.
model "flexible arm between two joints"

gravity {0, 0, -9.81}
flexible { name = "arm", beam = { from = {0, 0, 0}, to = {1, 0, 0}, n = 10, section = {EA = 2.1e7, GJ = 135, EI = 175},
                                  mass = {rhoA = 0.785, J = {1.3083334e-5, 6.541667e-6, 6.541667e-6}} },
           interfaces = { root = 0, tip = 10 },
           modes = { type = "craig-bampton", fixed = 8, n = math.floor(param("modes", 12)) } }
body  { name = "load", mass = 0.5, inertia = {2e-3, 2e-3, 1e-3}, position = {1, 0.1, -0.2} }

joint { name = "root", type = "revolute", bodies = {"ground", "arm.root"}, at = {0, 0, 0}, axis = {0, 1, 0} }
joint { name = "tip", type = "revolute", bodies = {"arm.tip", "load"}, at = {1, 0, 0}, axis = {1, 0.5, 0} }

sensor{ name = "tip", type = "position", body = "arm.tip" }
sensor{ name = "load", type = "position", body = "load" }
sensor{ name = "reaction", type = "reaction", joint = "root" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 1, h = 5e-4, rho = 0.8, formulation = "ggl", every = 4 }
