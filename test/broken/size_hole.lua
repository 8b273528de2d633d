-- expect 3: some are missing
model "broken"
body { name = "top", mass = 1, inertia = {1, 1, 1}, position = {0, nil, 0} }
