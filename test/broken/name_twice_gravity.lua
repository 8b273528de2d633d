-- expect 3: gravity: is given twice, first on line 2
gravity {0, 0, -1}
gravity {0, 0, -2}
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
