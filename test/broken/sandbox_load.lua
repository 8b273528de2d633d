-- expect 2: model files have no 'load'
local f = load("return 1")
