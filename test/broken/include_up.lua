-- expect 2: include: the file: '../x.lua': '..' in a path; files of a model are beside it or in folders below
include("../x.lua")
body { name = "a", mass = 1, inertia = {1, 1, 1} }
