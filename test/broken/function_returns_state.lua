-- expect 3: sensor 'w': the function returns a state instead of a number
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
sensor{ name = 'w', custom = function(t, s) return s end }
