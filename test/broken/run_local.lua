-- expect 3: attempt to perform arithmetic on a nil value (local 'density')
local density
local function mass() return 2 * density end
body { name = "a", mass = mass(), inertia = {1, 1, 1} }
