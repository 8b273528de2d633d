-- expect 3: nothing is called 'package_'
local _ENV = _ENV
local p = package_
