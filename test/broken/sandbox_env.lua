-- expect 3: 'package_' is not defined
local _ENV = _ENV
local p = package_
