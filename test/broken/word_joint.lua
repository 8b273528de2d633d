-- expect 3: no type 'revolut'; did you mean 'revolute'?
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "revolut", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
