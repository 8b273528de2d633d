-- Dzhanibekov's effect: a body spun about its middle axis turns over periodically.
--
-- Origin: Euler (1758); seen by V. Dzhanibekov on Salyut 7 in 1985. The polhode of this body passes close to
-- the saddle, where it lingers; omega_2 changes its sign twice in a period.
-- Reference (Jacobi's elliptic functions): omega is periodic with T = 29.931990271191961671.
model "Dzhanibekov effect"

local tilt = param("tilt", 0.001)                          -- rad/s beside the middle axis

gravity {0, 0, 0}
body  { name = "body", mass = 1, inertia = {1, 2, 3}, omega = {tilt, 2, tilt} }

sensor{ name = "omega", type = "omega", body = "body" }
sensor{ name = "q", type = "rotation", body = "body" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 30.0, h = 0.005, sigma = 1, rho = 1 }
