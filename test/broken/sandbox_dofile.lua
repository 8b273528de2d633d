-- expect 2: model files have no 'dofile'
dofile("other.lua")
