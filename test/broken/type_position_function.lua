-- expect 3: position must be a list of 3 numbers, not a function
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = function() return 0, 0, 0 end }
