-- expect 2: model: the name is not valid UTF-8
model "a\xc0\xafb"
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
