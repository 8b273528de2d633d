-- expect 3: force 'wind': there is no body 'sail'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
force { name = "wind", body = "sail", value = {1, 0, 0} }
