-- expect 2: model files have no 'require'
local s = require "socket"
