-- expect 2: model: the name is not valid UTF-8
model "\xed\xa0\x80"
body{ name = "a", mass = 1, inertia = {1, 1, 1} }
