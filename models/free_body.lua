-- Free rigid body: no force, no joint; energy and angular momentum are constant.
--
-- Origin: Euler (1758); exact solution by Jacobi's elliptic functions, attitude by quadrature.
-- Reference (20 digits):
--   t = 2   omega = -0.018538737682986907 2.9155938279516503 1.2906394437953319
--           q     = -0.85242739452678508 0.46168789282882174 -0.20536197357007994 0.13430668816913360
model "free body"

gravity {0, 0, 0}
body  { name = "body", mass = 1, inertia = {2, 1, 1.5}, omega = {0.5, 3, -1} }

sensor{ name = "omega", type = "omega", body = "body" }
sensor{ name = "q", type = "rotation", body = "body" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 2.0, h = 0.01, sigma = 1, rho = 1 }
