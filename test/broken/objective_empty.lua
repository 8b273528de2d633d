-- expect 2: is empty: give final, integral or data
objective{ name = "J" }
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
