-- expect 3: there is no body 'groud'; did you mean 'ground'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "fixed", bodies = {"groud", "a"} }
