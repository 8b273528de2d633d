-- expect 3: kr is {1, -1, 0}; none
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
bushing { bodies = {"ground", "a"}, kr = {1, -1, 0} }
