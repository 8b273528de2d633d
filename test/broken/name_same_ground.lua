-- expect 3: both bodies are 'ground'
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "fixed", bodies = {"ground", "ground"} }
