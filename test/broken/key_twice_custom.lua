-- expect 3: custom and another key give the same thing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", f = function() return 1 end, custom = function() return 1 end }
