-- expect 3: no key 'kkkkkkkk
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
run { [string.rep("k", 5000)] = 1 }
