-- expect 2: attempt to concatenate a table value
local name = "b" .. {}
