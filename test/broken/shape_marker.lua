-- expect 2: shape[2]: only shapes of flexible bodies have a marker
body { name = "a", mass = 1, inertia = {1, 1, 1}, shape = {{sphere = 1}, {sphere = 1, marker = "m"}} }
