-- Flyball governor of Watt: two balls on arms lift a sleeve as the shaft spins; stiff couplers.
--
-- Origin: IFToMM library of computational benchmark problems, A05 (M. Gonzalez): couplers of the sleeve are
-- springs of 8e5 N/m with dampers of 4e4 N s/m; the shaft spins freely, at first once per second.
-- Reference (Lagrange's equations in the angle of the shaft, that of the arms and the height of the sleeve;
-- Runge-Kutta in extended precision, h = 4e-6 and 2e-6):
--   t = 1    height 0.501420922379568   fall -0.001765473972753   speed 6.271125741876555
--   t = 10   height 0.619622917061366   fall -0.133525073753654   speed 5.548203622654927
model "flyball governor"

local speed = param("speed", 2 * math.pi)                  -- of the shaft, rad/s
local alpha = param("alpha", math.rad(30))                 -- of the arms below the horizontal
local k, d  = param("k", 8e5), param("d", 4e4)
local rho, ball = 3000, 5.0                                -- density of all but the balls; mass of a ball
local a     = 0.05                                         -- distance of the hinges from the axis, m

local function cuboid(m, x, y, z)
    return {m * (y^2 + z^2) / 12, m * (x^2 + z^2) / 12, m * (x^2 + y^2) / 12}
end

-- An arm of 1 m with the ball at its end as one body: x axis outwards along the arm, y the axis of the hinge.
local arm    = rho * 1 * 0.01 * 0.01
local mass   = arm + ball
local centre = (arm * 0.5 + ball) / mass                   -- from the hinge
local J      = cuboid(arm, 1, 0.01, 0.01)
local extra  = arm * (centre - 0.5)^2 + ball * (1 - centre)^2
local s, c   = math.sin(alpha), math.cos(alpha)

gravity {0, 0, -9.81}
local shaft, sleeve = rho * 0.01 * 0.01, rho * 0.1^3
body  { name = "shaft", mass = shaft, inertia = cuboid(shaft, 0.01, 0.01, 1), position = {0, 0, 0.5},
        velocity = {0, 0, 0}, omega = {0, 0, speed},
        shape = { { cylinder = {0.02, 1.04} }, { box = {0.14, 0.04, 0.04}, at = {0, 0, 0.5} } } }
body  { name = "sleeve", mass = sleeve, inertia = cuboid(sleeve, 0.1, 0.1, 0.1), position = {0, 0, 1 - s},
        velocity = {0, 0, 0}, omega = {0, 0, speed} }
joint { name = "bearing", type = "revolute", bodies = {"ground", "shaft"}, at = {0, 0, 0}, axis = {0, 0, 1} }
joint { name = "guide", type = "prismatic", bodies = {"shaft", "sleeve"}, at = {0, 0, 1 - s},
        axis = {0, 0, 1} }

for i, side in ipairs {1, -1} do
    local x = side * (a + centre * c)                      -- the arm turns with the shaft: v = omega x r
    body  { name = "arm" .. i, mass = mass, inertia = {J[1], J[2] + extra, J[3] + extra},
            position = {x, 0, 1 - centre * s}, velocity = {0, speed * x, 0},
            rotation = {matrix = {{side * c, 0, side * s}, {0, side, 0}, {-s, 0, c}}},
            omega = {-speed * s, 0, speed * c},
            shape = { { sphere = 0.09, at = {1 - centre, 0, 0}, color = "orange" },
                      { box = {1, 0.025, 0.025}, at = {0.5 - centre, 0, 0}, color = "silver" } } }
    joint { name = "hinge" .. i, type = "revolute", bodies = {"shaft", "arm" .. i}, at = {side * a, 0, 1},
            axis = {0, side, 0} }
    spring{ name = "coupler" .. i, bodies = {"sleeve", "arm" .. i}, at_a = {side * a, 0, 0},
            at_b = {0.5 - centre, 0, 0}, k = k, d = d, length = 0.5 }
end

sensor{ name = "height", type = "position", body = "sleeve" }   -- (0, 0, height)
sensor{ name = "ball", type = "position", body = "arm1", at = {1 - centre, 0, 0} }
sensor{ name = "fall", type = "angle", joint = "hinge1" }  -- of the arm, since t = 0
sensor{ name = "speed", type = "rate", joint = "bearing" }
sensor{ name = "energy", type = "energy" }

run   { t_end = 10.0, h = 1e-3, sigma = 1, rho = 0.8, formulation = "ggl" }
