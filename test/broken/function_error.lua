-- expect 4: sensor 's': no such thing
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
sensor { name = "s", custom = function(t, s)
    error("no such thing") end }
