-- expect 2: attempt to compare number with string
if 1 < "2" then end
