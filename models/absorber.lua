-- Absorber of vibrations: which spring and damper between a machine and a small mass calm the machine?
--
-- Origin: J. P. Den Hartog, Mechanical Vibrations; the machine of mass M on a spring of stiffness K is shaken near its resonance.
-- Reference: polhode optimise models/absorber.lua --vary k,d --bounds k=100:1000,d=1:50 --minimise vibration
-- For a run that never ends and a force of any frequency the best spring would be k = K (m/M)/(1 + m/M)^2 = 330.6 N/m.
model "absorber"

local k = param("k", 500)   -- N/m
local d = param("d", 5)     -- N s/m
local M, m, K = 10, 1, 4000 -- kg, kg, N/m: 20 rad/s

particle { name = "machine", mass = M, position = {0, 0, 0}, velocity = {0, 0, 0} }
particle { name = "weight", mass = m, position = {2, 0, 0}, velocity = {0, 0, 0} }
spring   { name = "support", bodies = {"ground", "machine"}, at_a = {-1, 0, 0}, k = K, d = 4 }
spring   { name = "link", bodies = {"machine", "weight"}, k = k, d = d }
force    { name = "shaker", body = "machine", value = function(t, s) return 50 * (math.sin(18 * t) + math.sin(21 * t)), 0, 0 end }

sensor   { name = "machine", type = "position", body = "machine" }
objective{ name = "vibration", integral = function(t, s) return s.machine.position.x^2 end }                 -- m^2 s
objective{ name = "peak", integral = function(t, s) return (20 * s.machine.position.x)^8 end }  -- grows with the largest deflection

run      { t_end = 4, h = 1e-2 }
