-- expect 3: the model uses more than 256 MB
local f, x = nil, ("x"):rep(1000)
for i = 1, 1e9 do local g, s = f, x:rep(100) .. i
f = function() return g, s end end
