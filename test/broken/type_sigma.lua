-- expect 3: sigma must be a number or "opt"
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { sigma = "best" }
