-- expect 2: model files have no 'io'
local f = io.open("/etc/passwd")
