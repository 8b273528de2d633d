-- expect 3: custom repeats another key
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", f = function() return 1 end, custom = function() return 1 end }
