-- expect 2: a string of 1000000000000 characters
local s = ("x"):rep(1e12)
