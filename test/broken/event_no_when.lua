-- expect 2: event 'e': when is missing
event { name = "e", action = "stop" }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
